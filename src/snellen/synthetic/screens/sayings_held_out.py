"""How goals are said, the second half: family b. It was written before the chooser of the method `ocr` learnt to read natural
instructions and never looked at while it was tuned, so it says how well that reads what it was not made for. Keep it so: whoever
works on the chooser measures on this half and mends nothing by it.

`{row}` stands for the row, the card or the tab in which a thing is.
"""

from __future__ import annotations

ACTIONS = """
save: hang on to the changes I made | don't lose my work
cancel: forget it, I have changed my mind | leave everything as it was
ok: fine, go ahead | yes, that is alright
apply: put these choices into effect | use what I have picked here
delete: erase this for good | bin it | take {row} off the list | I don't need {row} any longer
close: I'm done with this window | get this out of my sight | shut {row} | I don't need {row} open
minimize: put the window out of the way for now | tuck this window away
maximize: make the window as big as the screen | use the whole screen for this
new: begin a fresh one | I'd like to make another one
edit: correct what is written here | fix a mistake in {row} | {row} has to be changed
copy: put a duplicate on the clipboard | I want the same thing twice
paste: drop in what I have on the clipboard | put the clipboard here
undo: take back the last thing I did | oops, revert that
redo: do again what I just took back | bring my change back
refresh: load the latest state | is there anything newer? | try that once more
download: get this onto my computer | fetch me a local copy | get {row} onto my computer
upload: put a file of mine online | move a file from my computer to here
share: let a colleague see this | give others access
print: I need this on paper | put it on paper for me
export: I want this in another program | write this out to a file
import: bring in data from elsewhere | take over my old records
send: off it goes | let it go out now
reply: answer this person | write back
reply all: answer everybody | write back to the whole group
archive: put this away without losing it | file this away
sort: change the order of these | put these in some order
filter: narrow this down | show me fewer of these
reset: back to factory values | clear all of my choices
restore: bring it back as it was | recover the old state
compare: put the two next to each other | what is the difference between them?
today: jump to the current date | where are we now?
month: let me see four weeks at a time | show me all thirty days
week: let me see seven days at a time | what is on from Monday to Sunday?
day: let me see only 24 hours | just one date at a time
install: put it on this machine | set up the new version
later: not now | remind me some other time
keep: don't throw it away | let it stay
log in: let me into my account | I already have an account
sign up: I'm new here and want an account | register me
sign out: end my session | log me off
forgot password?: I can't remember my secret word | I am locked out of my account
contact us: I want to talk to somebody at the company | how do I reach a human?
help: I'm lost, explain this to me | I have a question
privacy policy: what do they do with my data? | who gets to see my personal information?
terms of service: what are the rules for using this? | read the small print
get started: what is the first step? | take me through the beginning
try it free: I'd like to test it without paying | test drive it
subscribe: tell me about every new post by email | put me on the mailing list
watch demo: show me how it works in a film | see it in action
careers: are they hiring? | I'm looking for work there
changelog: what is different in the latest version? | what did they change recently?
roadmap: what is coming next year? | what are they going to build?
blog: read what the team has written | any new posts?
news: what has happened lately? | the latest headlines, please
pricing: how much does it cost? | what would I have to pay?
security: how safe is this? | how is my data protected?
site map: an index of every page here | list all the pages of this site
status: is the service up at the moment? | are there any outages?
forum: talk to other users | see what other users discuss
tutorials: teach me how to use it | I want to learn this step by step
webinars: join a live session | when is the next live presentation?
cookies: what do they store in my browser? | control tracking
imprint: who runs this site? | the legal address of the owner
about: who are these people? | tell me something about this program
gallery: look at my snapshots | browse the images
partners: which firms do they work with? | who do they cooperate with?
inbox: what came in? | any new messages for me?
starred: the things I marked as important | what I liked best
drafts: letters I have not finished | go on with what I began to write
sent: what did I write to others? | mails that went out
spam: has anything been wrongly filtered as junk? | unwanted mail
recent: what did I work on yesterday? | the things I opened lately
downloads: what I got from the internet | where did my browser put that file?
music: let me see my songs | I want to hear something
videos: watch one of my films | my movies
network: other computers around here | fix my internet connection
appearance: how things look | change the looks
accounts: manage who can log in here | add one more login
notifications: stop all these pop-ups | when should it alert me?
display: change the resolution of my monitor | adjust my monitor
sound: it is too loud, change that | choose my loudspeaker
keyboard: set up shortcuts | change how typing works
language: I want to read all this in French | translate the program
storage: how much disk space is left? | my disk is full
updates: is my version still current? | check for a newer version
overview: the big picture | a summary of everything
orders: what have people bought? | see the latest purchases
customers: who buys from us? | look up a client
reports: how have we been doing? | analyse the figures
billing: see my invoices | how do I pay?
albums: whole records, not single songs | list the records
artists: find a singer | which bands do I have?
podcasts: listen to a talk show | new episodes?
radio: listen to a live station | tune in to a station
birthdays: when do my friends turn a year older? | who has to get a present?
holidays: which days are free this year? | when do we not have to work?
search: I'm looking for something | hunt for a word
home: back to the front page | take me to the beginning
menu: what else can this program do? | open the hidden navigation
more: further actions, please | other things I can do with {row}
bell: what did I miss? | any alerts?
user: see my profile | my personal details
cart: what is in my basket? | pay for my things
bookmark: remember this page for me | I want to come back to this page
back: return to where I was | one page earlier
forward: go ahead one page again | one page later
up: one folder higher | leave this folder
chevron left: the month before, please | one step to the left
chevron right: the month after this one | one step to the right
grid: show them as tiles | I prefer big pictures to lines
list: show them line by line | one below the other, please
flag: mark this for follow-up | this needs attention, mark it
tag: put a label on it | categorise this
cut: take it out and keep it for elsewhere | move this text to another place
bold: make the letters fatter | stronger letters, please
italic: slant the letters | sloping letters, please
underline: draw a line below the words | a rule beneath these words
align left: push the text against the left margin | flush left, please
align center: put the text in the middle of the line | equal space on both sides
chart: draw a diagram of these numbers | turn the numbers into a graph
image: put a picture in | attach a snapshot
link: point to a web page from here | connect this text with a site
play: let it run | go on with the song
pause: hold it for a moment | be quiet for a minute
next: the song after this one | one further
previous: the song before this one | hear the last one again
shuffle: mix the order at random | surprise me with the order
volume: make it quieter | louder, please
wifi: am I online? | check the wireless connection
battery: how much charge is left? | do I have to plug it in?
zoom in: I can't read this, bring it closer | get nearer
zoom out: show more of it at once | step back a bit
brush: paint something | draw by hand
crop: trim the edges of the picture | keep only the middle of the photo
phone: ring them | give {row} a ring
camera: take a snapshot | start a video call
calendar: what is on this week? | find me a free date
chat: talk to somebody in writing | see my conversations
globe: go online | surf the web
mail: write {row} a letter | see my post
clock: when is it? | set an alarm
lock: nobody should alter {row} | protect it
eye: make {row} invisible | inspect {row} | peek at it
heart: {row} is a favourite of mine | keep {row} for my wish list
star: {row} matters to me, mark it | mark it as important
view details: tell me the particulars | I want to know exactly
learn more: explain that further | I'd like to find out about it | what else is there to say on {row}?
see all: don't show me only a part | the complete list, please
merge: make one out of these two | join them together
invite: ask somebody else to take part | bring a friend in
publish: make it public | put it out for the world
rename: call it something else | give it a better name
accept: I consent | agree to the offer
decline: no, thank you | turn the offer down
upgrade: switch to a better plan | I want the bigger version
record: tape this | capture what I say
scan: read in a sheet of paper | digitise a document
connect: link up with the server | get a connection
preview: how will it look in the end? | a first look before it is final
browse: look around for the right file | pick one from my disk
open: have a look inside | let me see it | let me see {row}
continue: on to the following step | carry on
start: let's go | begin
buy: I'll take the {row} | get me one {row}
trash: look through what I threw out | the things I erased
settings: adjust how this program behaves | change my preferences
desktop: what lies on my screen's background? | things on my main screen
"""

FIELDS = """
username: write who I am for the login | put in my user id
password: key in my secret word | write down the secret
email: tell them where to send electronic mail | my address is ada@fernlake.org, put it in
phone: tell them how to ring me | my number is 555 0199
address: say where I live | my street and house number go here
name: say what I am called | fill in who this is
title: give it a heading | call this thing something
description: explain what this is about | add a few lines that describe it
message: write a few words to them | say hello to them
comment: leave a remark | say what I think of it
city: the town is Bergen | say which town it is
company: say which firm I work for | my employer goes here
website: where is the homepage? write it in | give the URL of our homepage
amount: how much money is it? write it in | make it 250.00
due date: it must be paid by Friday, write that down | set the deadline
quantity: I want five of them | how many pieces? fill it in
tags: add some keywords | attach labels to it
coupon: I have a voucher to redeem | use my discount code
zip code: the postal code is 5003 | put in the postcode
subject: say in one line what the mail is about | the topic of the letter is missing
folder: say where on the disk to put it | give the directory
server: say which host to talk to | fill in the host name
port: it listens on 8080, put that in | the connection number is wrong
search: look for the word invoice | I want to find something about trains
"""

LISTS = """
language: I don't understand English, change that | make it speak Dutch
country: I have moved to Chile | say which nation I live in
time zone: the clock is off by an hour, mend that | I'm in Tokyo now
theme: make it all black instead of white | change the colours of the program
quality: the picture should be sharper | I'd accept a blurrier result
font: use other letters | pick a different typeface
size: make the text larger | the letters are too small
format: save it as a PDF instead | which type of file should it be?
category: sort it under travel | what sort of thing is this? pick one
priority: this is not important at all | make it the most important one
currency: I pay in dollars | count in yen
paper: use smaller sheets | my printer has only A5
zoom: view it at half size | show it at one and a half times
status: mark it as paid | it is late, note that
region: only the south, please | look at the eastern part
device: play it through the headphones | use another loudspeaker
encoding: the umlauts come out wrong, use another character set | use plain ASCII characters
sort by: newest first, please | put the biggest on top
role: make her an administrator | he should only be able to read
layout: tiles instead of lines, please | arrange things in another way
"""

CHECKS = """
dark mode: white hurts my eyes, make it black | switch to a black background
auto save: store my work without asking me | I always forget to store my work
show grid: draw squares behind my picture | I need guide lines
sync now: make both computers the same | match it with my other computer
use wi-fi: go wireless | connect without a cable
mute all: silence, please | turn every sound off
spell check: mark my typos | look for misspelt words
night light: warmer colours in the evening | less blue in the evening
hide icons: clear the symbols off my screen | I don't want to see symbols
airplane mode: we are taking off, no radio please | cut every wireless connection
auto update: always have the newest version by itself | renew itself without me
show hints: give me tips as I go | explain things when I point at them
keep history: remember what I did | don't forget where I have been
large text: I can't read these tiny letters | bigger letters, please
fast start: it takes too long to boot | boot quicker
snap to grid: things should jump into line | make everything line up by itself
show ruler: I need to measure in centimetres | give me something to measure with
word wrap: long lines should break | don't let lines run off the edge
live preview: let me see at once what changes | show changes immediately
beta mode: try unfinished features | I like to test new things
remember me: don't make me log in again tomorrow | keep me logged in
send a copy: I want to get the same mail myself | mail it to me, too
show hidden: let me see the files that begin with a dot | reveal everything
read only: nobody may write to it | protect it against changes
overwrite: replace the old file | the old one can go
keep ratio: don't squash the picture | width and height should stay in proportion
all pages: print the whole document | everything from the first to the last sheet
loop: start again at the end | play it over and over
i agree: I accept the conditions | yes to the rules
newsletter: keep me posted by mail | send me your news
urgent: this can't wait | it has to be done at once
private: only I should see it | hide it from others
subtitles: write below the film what is said | I can't hear what they say
encrypt: scramble it so that nobody can read it | make it unreadable for strangers
backup: keep a second copy somewhere safe | I'm afraid of losing it, make a spare
verbose: tell me every detail of what you do | print more messages
confirm: ask me before you do it | check with me first
bold text: fatter letters everywhere | make the letters heavier
use proxy: go through another server | don't connect directly
ask again: don't bother me with this question any more | stop asking
two sided: print on the front and the back | save paper when printing
on sale: only reduced things, please | what is cheaper right now?
in stock: only what can be delivered now | leave out what is sold out
new in: what arrived this week? | just the latest goods
handmade: nothing out of a factory | only things made by craftspeople
gift wrap: it is a present | pack it nicely
top rated: what other buyers liked best | only those with five stars
vegan: no animal products | nothing from animals
"""

# things that are called by a name of their own
NAMED = """
contact: ask {name} something | see my conversation with {name}
file: have a look at the {name} {sort} | I need to see that {name} {sort}
song: I'm in the mood for {name} | put on {name}
headline: I'd like to know more about "{name}" | go on to the piece on {name}
day: what am I doing on the {name}? | look at the {name} of the month
event: when exactly is the {name}? | tell me about the {name}
sheet: the {name} table of this workbook | bring up table number {number}
tab: the other page, the one of {name} | go over to {name}
price: what would the {name} cost me? | is the {name} expensive?
when: when was {row} last touched? | how old is {row}?
size: is {row} a big file? | does {row} take much space?
long: how many minutes does {row} take? | the running time of {row}
sum: what do we get for {row}? | how much is {row} worth?
state: has {row} been dealt with? | where do we stand with {row}?
written: on which day did {row} get in touch? | is the letter of {row} a recent one?
clock: do you have the time? | is it late already?
"""
