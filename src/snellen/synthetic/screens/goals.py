"""What the things on made-up screens are for: which labels serve one goal, and which others a person could take for it.

A natural instruction says the goal and not the label, so it fits every label of its goal. Where a second such label is on the screen,
or one of those that come near, the instruction would be ambiguous and is not used (see natural.py). How goals are said is in
sayings.py and sayings_held_out.py.
"""

from __future__ import annotations

from typing import NamedTuple


class Goal(NamedTuple):
    """The labels that serve a goal, and those that come near it. Its name is its first label."""

    labels: frozenset[str]
    near: frozenset[str]


def goals(text: str) -> dict[str, tuple[str, Goal]]:
    """From lines such as `save, store / apply, ok` to the name and the goal of each label.

    >>> goals("save, store / ok")["store"][0]
    'save'
    """
    found = {}
    for line in text.strip().splitlines():
        labels, near = ([w.strip() for w in part.split(",") if w.strip()] for part in f"{line}/".split("/")[:2])
        for label in labels:
            found[label] = labels[0], Goal(frozenset(labels), frozenset(near))
    return found


# buttons, links, menus, tabs, entries of side bars, and icons by the name of their drawing
ACTIONS = goals("""
save / apply, ok, export, download, submit, save as
cancel, discard / close, later, keep, skip, decline, ok
ok / apply, save, close, continue, submit, accept
apply / ok, save, submit
delete, remove / archive, discard, cut, spam, trash
close / cancel, back, ok, minimize, stop, discard, leave
minimize / close, maximize
maximize / zoom in, minimize
new, add / new mail, insert, import, create, upload, message
edit / brush, settings, more, text, rename
copy / share, paste, download, duplicate
paste / copy, insert
undo / back, reset, restore, redo, previous
redo / undo, forward, refresh, next
refresh, update, retry / install, reset, upgrade, restore, cloud
download, get the app / save, export, install, downloads, cloud, import, upload
upload / share, import, add, export, cloud, download
share / send, export, forward, upload, invite, publish, link
print / export, pdf, save, imprint
export / download, save, share, print, convert, publish, archive
import / upload, open, add, browse, download
send, submit / reply, forward, share, mail, sent, publish
reply / reply all, send, chat, mail
reply all / reply, send
archive / save, delete, folder, backup
sort / sort by, filter, list
filter / sort, filters, search, select
reset, reset all / undo, refresh, restore, cancel, clear
restore / undo, reset, trash, backups
compare / merge, reviews
today / day, calendar, date
month / calendar, today
week / calendar, today
day / calendar, today, brightness
install / update, download, upgrade, get the app
later / skip, cancel
keep / cancel, save
log in, sign in / sign up, user, continue, join, accounts
sign up, join / log in, sign in, get started, subscribe, try it free, try it now, start
sign out, leave / close, power, log in
forgot password? / password, security, help, lock
contact us, contact, support / help, phone, mail, chat, faq, community, forum, team
help, faq / support, info, contact us, docs, tutorials, learn more, contact
privacy policy, privacy / security, cookies, terms of service, legal, lock
terms of service, legal / privacy policy, imprint, cookies, i agree
get started / start, sign up, tutorials, try it free, try it now, learn more
try it free, try it now / get started, start, sign up, watch demo, download, pricing
subscribe / sign up, newsletter, join, notifications
watch demo / play, videos, webinars, try it now
careers, jobs / team, about
changelog, releases / news, updates, roadmap, blog
roadmap / changelog, releases, plans
blog, stories / news, press, read more
news, press / blog, events, weekly digest
pricing / products, billing, store, cart
security / privacy, lock, privacy policy, status
site map / home, menu, about, list
status / roadmap, support, wifi
forum, community / chat, support, blog
tutorials, docs / help, webinars, learn more, faq, labs
webinars, events / calendar, videos, tutorials
cookies / privacy policy, legal
imprint / about, legal, contact us
about, info / help, imprint, team, learn more
gallery, photos, pictures / image, camera, videos, albums
partners / team, customers, company
inbox / mail, messages, chat, sent, all mail
mail / inbox, messages, chat, send, message, contact us
settings / more, edit, filter, appearance, preferences, accounts
starred, favorites / star, heart, bookmark
drafts / edit, notes, file
sent / send, forward, outbox
spam / trash, warning, flag
recent / clock, history, today
desktop / home, grid
downloads / download
music / volume, library, songs, play
videos / play, movies, camera, watch demo
network / wifi, globe, share, server
appearance / display, brush, theme, brightness, dark mode
accounts / user, log in, customers, team, people
notifications, alerts / bell, sound, messages
display / brightness, appearance, screen
sound / volume, notifications, music
keyboard / language, text
language / globe, keyboard, region
storage / folder, cloud, backups, files
updates / refresh, update, install
overview / home, reports, dashboard
orders / cart, order, products
customers / user, people, team, accounts
reports / chart, insights, overview
billing / pricing, wallet, cart, amount
albums / photos, artists, gallery
artists / user, albums
podcasts / microphone, radio
radio / podcasts, wifi, music
birthdays / holidays, calendar, events
holidays / birthdays, travel, calendar
search / filter, search mail, zoom in, browse, find
home / desktop, overview
menu / more, list
more / menu, settings, see all, view details
bell / clock, notifications, alerts
user / accounts, log in, customers, team, contact us, sign up
cart, checkout / shop, store, products, orders, add to cart, buy
bookmark / star, heart, tag, favorites, save
back / undo, previous, chevron left, up, close
forward / next, redo, chevron right, play, reply, sent
up / back, upload
chevron left / back, previous
chevron right / next, forward
grid / list, maximize, menu, layout
list / grid, menu, align left
flag / tag, star, bookmark, spam
tag / flag, folder, category
cut / copy, crop, delete
bold / italic, text, underline
italic / bold, text, underline
underline / text, bold, italic
align left / align center, list
align center / align left, list
chart / reports, insights
image / gallery, photos, pictures, camera, upload, insert, images
link / share, copy, website
play, resume / forward, next, start, watch demo
pause / stop
next, skip / forward, chevron right, continue, later
previous / back, chevron left, undo
shuffle / redo, refresh, sort
volume / sound, microphone, mute all, music
wifi / network, cloud, radio, use wi-fi
battery / power, low battery
zoom in / search, maximize, add
zoom out / search, minimize, remove
brush / edit, appearance
crop / cut, resize
phone / contact us, chat, support
camera / image, photos, videos, pictures
calendar / today, events, clock
chat / messages, mail, community, forum, support, phone
globe / network, home, language
clock / calendar, recent, bell
lock / privacy, security, encrypt, private
eye / preview, show hidden, search, view details, open
heart / star, favorites, bookmark
star / heart, favorites, bookmark, flag, starred, top rated
view details / learn more, read more, see all, info, more, open, eye
learn more, read more, see how, click here / view details, help, info, see all, about
see all / more, view details, all pages, list
merge / compare, join
invite / share, join, user, add
publish / share, send, upload, export, submit
rename / edit, text
convert / export, format
accept / ok, i agree, continue
decline / cancel, keep, skip
upgrade / update, install, pricing
record / microphone, camera, play
scan / camera, print, search
connect / network, wifi, link, log in
preview / eye, print, search, live preview
browse / search, folder, open, import
open / new, import, browse, view details, eye
continue / next, ok, log in, sign in, start
start / continue, play, get started, next
buy, add to cart / cart, checkout, add
trash / delete, remove, spam
""")

FIELDS = goals("""
username, nickname / name, email
password / username
email / username, website
phone / fax
address / city, zip code, website, email, server
name / username, nickname, title, company, folder
title / name, subject, description
description / comment, message, title
message / comment, description
comment / message, description
city / address, zip code, country, region
company / name
website / address, server, email
amount / quantity, currency
due date / time zone
quantity / amount, size
tags / category, title
coupon / amount
zip code / address, city
subject / title, message
folder / server, name
server / port, website, address
port / server
search, search mail / search, search mail, address
""")

LISTS = goals("""
language / country, encoding, region
country / language, region, city
time zone / country, due date
theme / layout
quality / size, format
font / size, encoding
size / font, paper, quality, zoom, quantity
format / encoding, paper, quality
category / tags, priority
priority / category, status
currency / amount, country
paper / size, format
zoom / size
status / priority
region / country, city
device / layout
encoding / format, language
sort by / category
role / status
layout / paper, theme, format
""")

CHECKS = goals("""
dark mode / night light, theme
auto save / backup, keep history
show grid / snap to grid, show ruler
sync now / backup, auto update
use wi-fi / airplane mode
mute all / loop
spell check / word wrap
night light / dark mode
hide icons / show hidden, show hints
airplane mode / use wi-fi
auto update / sync now
show hints / show hidden
keep history / auto save, remember me
large text / bold text, zoom
fast start / startup
snap to grid / show grid
show ruler / show grid
word wrap / spell check
live preview / show hints
beta mode / auto update
remember me / keep history, auto save
send a copy / newsletter, backup
show hidden / hide icons, show hints
read only / private, encrypt
overwrite / keep, backup
keep ratio / snap to grid
all pages / this page, selection
loop, repeat / shuffle
i agree / confirm, newsletter
newsletter / send a copy, i agree
urgent / priority
private / encrypt, read only
subtitles / large text
encrypt / private, read only
backup / auto save, sync now, send a copy
verbose / show hints
confirm / ask again, i agree
bold text / large text
use proxy / use wi-fi
ask again / confirm, ask first
two sided / all pages
on sale / in stock
in stock / on sale
new in / top rated
handmade / vegan
gift wrap / on sale
top rated / new in
vegan / handmade
""")
