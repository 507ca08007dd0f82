"""How goals are said by people who think of what they want and not of what is written on a button, the first half: family a.

`{row}` stands for the row, the card or the tab in which a thing is. The second half is in sayings_held_out.py; some goals are said
only there, so that a chooser tuned on this half meets labels that it was not tuned for, too.
"""

from __future__ import annotations

ACTIONS = """
save: store what I have done | keep my changes | make sure nothing of this gets lost
cancel: never mind, stop this | I don't want this after all | abort
ok: yes, do it | agreed | confirm this
apply: make these settings count | let the changes take effect
delete: get rid of this | throw it away | get rid of {row} | remove {row} from here | {row} can go
close: leave this window | shut the window | I have finished with {row}
minimize: shrink the window to the task bar | hide the window for a while
maximize: blow the window up to full size | make the window fill the screen
new: create one | start an empty one | I need one more of these
edit: change this | modify what is here | make a change to {row} | update what it says about {row}
copy: duplicate this | I want to have this a second time
paste: insert what I copied | put here what I copied before
undo: that was wrong, go one step back | reverse my last step
redo: I did want that last step, repeat it | restore the step that I took back
refresh: load this again | get the current state | reload
download: save this on my machine | I want this file on my disk | get me a copy of {row}
upload: add a file from my computer | transfer one of my files to the server
share: send this to a friend | let someone else have this | pass this on
print: get this on paper | I'd like a hard copy
export: take this data out of here | turn this into a file for another program
import: load data from another program | read in a file from elsewhere
send: submit this | dispatch the message | I have written it, now post it
reply: write an answer | respond to this mail
reply all: respond to everyone who got this | send an answer to all of them
archive: store this mail for the records | move it out of the inbox and keep it
sort: arrange these differently | order these another way
filter: show only some of these | limit what is shown
reset: go back to the defaults | start over with the original values
restore: get back what was there before | bring back the earlier version
compare: look at them side by side | hold the old one against the new one
today: go to the present day | take me to the current day
month: show the whole month at once | see the entire month
week: show one week only | view a single week
day: show a single day | only one day, please
install: put the new version on my computer | get the new version running
later: ask me another time | postpone this
keep: I want to hold on to it | leave it where it is
log in: sign me in | get into my account | enter with my account
sign up: create an account for me | I want to become a member | register
sign out: log me out | leave my account | finish my session
forgot password?: I don't know my password any more | get a new password
contact us: get in touch with the company | send them a message about a problem
help: I need assistance | how does this work? | answer a question of mine
privacy policy: how is my personal data treated? | what happens to my private data?
terms of service: which conditions do I agree to? | read the conditions of use
get started: how do I begin? | lead me through the first steps
try it free: have a go without buying | test it before I buy
subscribe: send me new articles by mail | I want to get every new article
watch demo: see a video of the product | show me a presentation of it
careers: find an open position | see which positions they offer | work for this company
changelog: what is new in this version? | see what changed between versions
blog: read some articles by the company | see the latest posts
news: find out what is going on | read about the latest events
pricing: what does it cost? | see the prices | find out the price
security: is it secure? | how do they protect us?
site map: see all pages of this website | give me an index of the website
status: is everything running? | check whether the servers work
forum: ask other people who use it | join the discussion of users
tutorials: learn how to use this | read the instructions | find a guide
cookies: what do they save in the browser? | change what may be tracked
imprint: who is responsible for this site? | the address of the publisher
about: which version is this? | learn something about the company
gallery: look at some photographs | see my photos
inbox: read the messages I received | check my incoming messages | have I got new mail?
starred: show my favourites | see what I marked with a star
drafts: find the mail that I have not sent yet | go on with my unfinished mail
sent: find a message that I wrote last week | see the messages I sent
spam: look for a message among the junk | check the junk mail
recent: what did I use last? | files that I used a short while ago
downloads: find the file I just downloaded | see what I have downloaded
music: listen to my songs | find my audio files
videos: find a film I recorded | see my video files
network: see the other machines of the office | set up the internet connection
appearance: I want other colours | customise the look
accounts: add another user | manage the users of this computer
notifications: I get too many alerts | choose what I am notified of
display: set up my second screen | change the screen resolution
sound: adjust the audio | choose where audio is played
language: I'd rather read this in Polish | change the language of the program
updates: see if there is a new version | keep the system up to date
overview: see everything at a glance | go to the summary page
orders: see what was ordered | find the order of last week
customers: find a client | see the list of people who buy here
reports: I want to see what I have earned this month | see the statistics
billing: find my last invoice | change my credit card | see what I owe
albums: browse my records | see the records of one band
artists: see all musicians | find a band
birthdays: whose birthday is next? | when was she born?
search: find something | look something up
home: go to the start page | take me to the main page
menu: show me all options | what can I do here?
more: what else can I do? | show further options | what else can be done with {row}?
bell: see my notifications | has anything happened?
user: open my account | show my profile
cart: see what I am about to buy | go and pay | what have I put in my basket?
bookmark: save this page for later | add this page to my favourites
back: go to the last page | where I just was
forward: go to the page after this one again
up: go to the parent folder | go up one level
chevron left: go one month back | show last month
chevron right: go one month further | show the month to come
grid: show these as a grid | view them as big tiles
list: show these as a list | view them in lines
tag: add a label | give this a category
cut: move this somewhere else | take this out and put it on the clipboard
bold: make the text heavier | print this in thick letters
underline: put a line under the text | emphasise with a line below
align left: start all lines at the left | line the text up on the left
chart: make a graph of this | visualise the data
image: insert a photo | add a picture
link: add a web address to the text | insert a hyperlink
play: start the music | let me hear it
pause: interrupt the music | stop the music for a moment
next: skip this song | play what comes after this
previous: play the song before | go one song back
volume: turn the sound down | make it louder
wifi: check my internet connection | choose another wireless network
zoom in: make it larger | magnify this
zoom out: make it smaller | I want to see more at once
brush: paint on the picture | draw something
phone: make a call | call {row}
camera: make a video call | take a photo
calendar: look at my dates | see my appointments
chat: write to a colleague | open my conversations
globe: open the web | go to the internet
mail: write an email to {row} | read my email
clock: see the time | set a timer
lock: protect {row} from changes | see if this is secure
eye: hide {row} | take a look at {row} | show me {row}
heart: I like {row} | add {row} to my favourites
star: mark the message of {row} | mark this as a favourite
view details: show me the details | I need more detail on this
learn more: tell me more | I want to know more about this | tell me more about {row}
see all: show everything there is | show me the whole list
publish: let everybody read it | make this visible to everyone
accept: say yes to this | I agree with it
decline: say no to this | refuse this
upgrade: get the better version | move to the larger plan
record: make a recording | start recording
connect: go online with this | make a connection
preview: show me how it is going to look | see it before it is final
browse: look for a file on my computer | choose a file
open: show me what is in it | look at the contents | look at {row}
continue: go to the next step | proceed
start: get going | let us begin
buy: put the {row} in my basket | I want to buy the {row} | order the {row}
trash: find something I deleted | see what I have thrown away
settings: change how this works | configure the program | adjust my preferences
desktop: see the files on my desktop screen | what is on the desktop of my computer?
"""

FIELDS = """
username: enter my user name for the login | type who I am
password: enter my secret | fill in the secret for my account
email: enter my mail address | type ada@fernlake.org as my mail
phone: enter my telephone number | type 555 0142 so that they can call me
address: enter the street | type where I live
name: enter what I am called | type Ada Park as the person
title: type a heading for it | enter what it should be called
description: describe it in a sentence | enter a short text about it
message: write something to them | type "See you there"
comment: write my opinion | type a note about it
city: enter the town | type in which town I live
website: enter the web address | type the URL of my page
amount: enter how much it is | type the sum of money
due date: enter when it has to be paid | type the deadline
quantity: enter how many I want | type the number of pieces
tags: enter some keywords | type a few labels for it
zip code: enter the postal code | type the postcode
folder: enter the directory | type where the files should go
server: enter the host | type the name of the machine to connect to
search: look for budget | find everything about holidays
"""

LISTS = """
language: switch to Italian | choose English as my language
country: I live in Norway now | choose the nation
time zone: set the clock to UTC | choose the time of my place
theme: choose a darker look | switch the colours to light
quality: get a better picture | lower the quality a bit
font: choose another typeface | write in a serif typeface
size: choose bigger letters | make the letters 14 points
format: make it a JPEG | choose another file type
category: file this under food | choose what kind of expense this is
priority: make this more important | say how important it is
currency: pay in euros | change the money to pounds
paper: use A5 sheets | choose another sheet size
zoom: see it at 150 percent | choose how much it is enlarged
status: say that it is paid | change the state of it
region: show only the north | choose another part of the country
sort by: order them by date | list them by name
layout: change the arrangement | show it as tiles
"""

CHECKS = """
dark mode: use dark colours | turn the screen dark
auto save: save my work automatically | save by itself from time to time
show grid: display a grid | I want to see grid lines
sync now: synchronise my data | bring my data up to date on all devices
use wi-fi: connect by wireless | turn on the wireless network
mute all: turn off all sounds | make everything silent
spell check: check my spelling | find spelling mistakes
night light: reduce blue light at night | make the screen warmer at night
hide icons: remove the icons from view | I don't want to see any icons
airplane mode: I am about to fly | turn off all radios for the flight
auto update: update automatically | get new versions by itself
show hints: display some tips | I want to see tips
keep history: save what I have visited | store my history
large text: make the text larger | I need bigger text
fast start: start more quickly | make it start faster
snap to grid: align things to the grid | let things stick to the grid
show ruler: display a ruler | I want to measure things
live preview: show a preview while I type | preview everything at once
remember me: stay signed in | keep me signed in on this computer
send a copy: mail a copy to me as well | let me have a copy
show hidden: display hidden files | I want to see files that are hidden
read only: forbid changes | nobody should be able to edit it
overwrite: write over the existing file | replace what is there
all pages: I need every page | include each page
loop: play it again and again | repeat it endlessly
i agree: accept the terms | say yes to the terms
newsletter: get news by email | send me news now and then
urgent: this is very important, mark it so | mark it as pressing
private: make it visible to me alone | keep this secret
backup: make a safety copy | keep a copy in case something breaks
confirm: ask before doing anything | I want to be asked first
bold text: make all text thicker | use heavier type
use proxy: connect through a proxy server | go over the company's proxy
ask again: don't ask me this the next time | never show this question any more
two sided: print on both sides | use both sides of the sheet
on sale: show only bargains | see what has a lower price
in stock: show only what is available | hide what cannot be delivered
new in: show only new products | see what is new
handmade: show only things made by hand | I like things that were made by hand
top rated: show only the best ones | see what got the best reviews
vegan: show only vegan products | I don't use anything from animals
"""

# things that are called by a name of their own
NAMED = """
contact: write to {name} | start a talk with {name}
file: open the {name} {sort} | show me the {name} {sort}
song: play {name} | I want to hear {name}
headline: read about {name} | open the article on {name}
day: go to the {name} | show me the {name} of this month
event: show me the {name} appointment | open the entry for the {name}
sheet: go to the {name} sheet | show sheet number {number}
tab: switch to {name} | bring {name} to the front
price: how much is the {name}? | what does the {name} cost?
when: when was {row} changed? | what is the date of {row}?
size: how large is {row}? | how many bytes does {row} have?
long: how long is {row}? | the length of {row}
sum: how much is {row}? | the amount of {row}
state: what state is {row} in? | is {row} done?
written: when did {row} write? | how old is the mail from {row}?
clock: what time is it? | tell me the time
"""
