"""Words of user interfaces that mean the same or belong together: what a person says on the left, what stands on buttons anywhere.

A small thesaurus of our own. Each line is one meaning; a word may stand in several. `*` in a phrase stands for up to three words, since
people say "log me out" and "turn the sound down".
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

MEANINGS = """
save, store, keep, keep changes, preserve, keep my changes
cancel, abort, never mind, stop, discard, don't want, call off, give up
ok, okay, yes, agree, agreed, confirm, accept, alright, fine, i agree
apply, take effect, make * count, use these
delete, remove, erase, get rid of, throw * away, throw away, trash, bin, discard, dispose, drop, clear, can go, wipe
close, shut, exit, quit, leave, finish, done with, finished with, dismiss
minimize, hide * window, shrink
maximize, full screen, fill * screen, enlarge, full size
new, create, add, make, begin, fresh, one more, empty one, insert, start * new, compose, plus
edit, change, modify, correct, fix, alter, amend, update, revise, adjust, mistake, rewrite, rename
rename, new name, other name, different name
copy, duplicate, clone, second time, clipboard
paste, insert, clipboard, put * here
undo, go * back, reverse, revert, last step
redo, repeat, restore
refresh, reload, update, load * again, current state, latest, newest, again, renew
retry, try * again, again
download, save * on my, on my disk, on my computer, fetch, get the app, get * file
downloads, downloaded
upload, put * online, from my computer, transfer, send * file, attach
share, send, pass * on, let * have, colleague, friend, someone else
print, printer, paper, hard copy, on paper, sheet
export, another program, into a file, take * out, save as
import, read * in, load, from elsewhere, from another
send, submit, post, dispatch, mail, deliver, hand in
reply, answer, respond, write * answer
reply all, answer all, everyone, all of them
forward, pass * on, next page, ahead
archive, for the records, records
sort, order, arrange, order by, sort by, rank, first
filter, filters, narrow, limit, only some, restrict, fewer
reset, default, defaults, start over, original values
restore, recover, bring * back, get * back, undelete, earlier version
compare, side by side, difference, against, versus
today, now, current day, present day
month, monthly
week, weekly
day, daily, single day, date
install, set * up, setup, put * on, new version, get * running, deploy
later, another time, postpone
skip, next, jump over
keep, hold on to, leave * where, stay
log in, login, sign in, sign * in, get into, enter, my account, account, let * in, authenticate
sign up, signup, register, join, create * account, new account, become a member, member, account, enrol
sign out, log out, logout, sign off, log off, sign * out, log * out, leave, session
forgot password, forgot, lost password, don't know * password, remember * password, new password, password
contact, contact us, get in touch, reach, write to, touch, message, somebody, someone, support
help, assistance, how does, question, explain, support, stuck, lost, faq, manual, guide
support, help, contribute, back, donate, problem, assistance
faq, questions, question, frequently asked, ask
privacy, privacy policy, personal data, private data, my data, data protection
terms, terms of service, conditions, rules, agree, legal, licence, license
legal, imprint, licence, license, copyright, responsible, publisher, owner
license, licence, conditions, rights
get started, getting started, begin, beginning, first step, first steps, start, how do i begin, quick start, introduction
introduction, intro, about, opening, overview, begin, first
try, test, free, try * free, try it now, trial, without buying, have a go
subscribe, newsletter, by mail, by email, every new, follow, new articles
demo, watch, video, film, presentation, movie
careers, jobs, job, hiring, vacancies, vacancy, position, positions, work for, employment, career
changelog, releases, release, what is new, what's new, new in, changed, changes, recently, version, different, release notes
version, versions, release, releases, older, newer, edition
roadmap, plans, coming, future
blog, posts, post, articles, article, read, written, stories, story
news, latest, headlines, going on, happened, press, new, announcements
pricing, price, prices, cost, costs, how much, pay, fee, expensive, plans
security, secure, safe, safety, protect, protected, protection
site map, sitemap, index, all pages, every page, pages
status, state, up, outage, outages, running, servers, working
forum, community, discuss, discussion, users, other people, talk
tutorials, tutorial, docs, documentation, learn, guide, instructions, manual, handbook, how to, teach, lessons, course
documentation, docs, document, documented, manual, handbook, read
webinars, events, event, live, session, presentation, conference
cookies, track, tracked, tracking, browser
about, company, version, program, info, information
gallery, photos, photo, pictures, picture, images, image, photographs, snapshots, snapshot
partners, partner, firms
inbox, incoming, received, new mail, messages, mail
starred, favorites, favourites, favorite, favourite, star, important, marked, liked, heart, love
drafts, draft, unfinished, not sent
sent, i sent, i wrote, outgoing
spam, junk
recent, recently, last used, lately, short while ago, history, last
music, songs, song, audio, listen, hear, tracks
videos, video, films, film, movies, movie, watch, clips
network, internet, connection, machines, computers, wifi, wi-fi, wireless, online
appearance, look, looks, colours, colors, theme, customise, customize, style
theme, dark, light, colours, colors, darker, brighter
accounts, account, users, user, logins, people, manage
notifications, notification, alerts, alert, notified, notify, reminders
display, screen, monitor, resolution
sound, audio, volume, loud, louder, quiet, quieter, speaker, noise
volume, sound, loud, louder, quiet, quieter, mute
mute, silence, silent, quiet, no sound
keyboard, typing, shortcuts, keys
language, languages, translate, english, german, deutsch, italian, italiano, polish, polski, dutch, nederlands, spanish
storage, disk, space, drive, full
updates, update, new version, up to date, up-to-date, current
overview, summary, glance, dashboard, everything
orders, order, ordered, purchases, bought, sales
customers, customer, clients, client, buyers, buy, who buys
reports, report, statistics, figures, earned, earnings, analyse, analyze, revenue, insights, analytics, numbers
report, found, complain
billing, invoice, invoices, bill, bills, credit card, pay, payment, owe
albums, album, records, record
artists, artist, singer, singers, musicians, musician, band, bands
podcasts, podcast, episodes, episode
radio, station, stations
birthdays, birthday, born, present
holidays, holiday, vacation, days off, free days
team, staff, colleagues, people
search, find, look * up, look for, looking for, seek, search for, locate
home, start page, main page, homepage, beginning, start
menu, options, navigation, all options, what can i do
more, further, else, other, others, options
profile, user, my account, account
cart, basket, checkout, buy, pay, about to buy, shopping
buy, add to cart, order, purchase, basket, get me, cart, add, take
favorites, save for later, like
bookmark, bookmarks, page for later
back, return, previous, last page, go back, before, earlier
next, forward, following, after, next step, ahead, go on
continue, next, proceed, go on, next step, resume
start, begin, get going, launch, run, let us begin
stop, halt, end, quit
pause, interrupt, hold, break
play, hear, listen, start * music, run, resume
previous, before, last, earlier
open, look at, contents, show, see, view, read, display
view, see, show, look
details, detail, particulars, exactly, more detail, specifics
learn more, read more, tell me more, know more, find out, more about, explain, see how
see all, everything, whole list, all, entire
all, every, each, entire, whole, everything, complete
merge, join, combine, together
invite, friend, guest
publish, everybody, everyone, visible
accept, agree, say yes, consent, i agree, accept the terms, conditions
decline, refuse, reject, no, say no, turn * down
upgrade, better, larger plan, bigger, premium, better version
record, recording
scan, read * in
connect, connection, online
preview, before it is final
browse, choose a file, pick, file
crop, cut
brush, paint, draw
chart, graph, diagram, visualise, visualize, plot
link, hyperlink, web address, url
image, picture, photo, insert * photo
bold, thick, thicker, fat, heavy, heavier, strong
italic, slant, slanted
underline, line under, line below
zoom in, larger, magnify, closer, bigger, enlarge
zoom out, smaller, see more, step back
zoom, percent, percentage, enlarged, magnification, scale
calendar, dates, appointments, appointment, schedule, agenda
chat, conversation, conversations, talk, colleague, messages
phone, call, ring, telephone, mobile
camera, photo, video call, snapshot
globe, web, internet, online, browser
clock, time, timer
lock, protect, secure, locked
trash, deleted, thrown away, bin, erased, recycle
settings, preferences, configure, configuration, options, how this works, adjust, setup, customise, customize
options, flags, settings, switches, parameters
username, user name, user, login, who i am
password, secret, passphrase
email, mail, e-mail, mail address
address, street, where i live
name, called, who, person
title, heading, headline, called
description, describe, short text, about it
message, text, write something, say, words
comment, opinion, remark, note, feedback
city, town
company, firm, employer, business, organisation, organization
website, homepage, url, web address, site
amount, sum, how much, money, value, total
due date, deadline, date, has to be paid
quantity, how many, number of, pieces
tags, keywords, labels, label, tag
coupon, discount, code
zip code, postal code, postcode, zip
subject, topic, what * about, regarding
folder, directory, where the files, folders
server, host, machine, servers
country, nation, live in, norway, canada, kenya, japan, germany, france
time zone, clock, timezone, utc, hour
quality, better picture, resolution
font, typeface, letters, serif
size, large, larger, small, smaller, letters, points, big, bigger, how large, bytes, space
format, file type, jpeg, png, pdf, svg
category, kind, under, type
priority, important, importance, urgent
currency, money, euro, euros, eur, dollar, dollars, usd, yen, jpy, pound, pounds, gbp
paper, sheets, sheet, a4, a5, letter
status, paid, state, late, done
region, north, south, east, west, part of the country, northern, southern, eastern, western
device, speakers, headset, headphones
encoding, characters, ascii, utf
sort by, order * by, list * by, biggest
role, administrator, admin, viewer, editor, rights
layout, arrangement, arrange, tiles, grid, list, portrait, landscape
dark mode, dark, black, dark colours
auto save, automatically, by itself, save * by itself
auto update, automatically, by itself, new versions
grid, grid lines
sync, synchronise, synchronize, same on all, all devices, match
wi-fi, wireless
airplane mode, fly, flight, plane, radios off
spell check, spelling, typos, misspelled
night light, at night, warmer, blue light
hide, remove from view, don't want to see, conceal, hidden
suppress, hide, ignore, don't care, silence
show, display, reveal, see, visible
hints, tips, hint, tip
history, visited
large text, bigger text, larger text, bigger letters, text larger
fast start, start faster, quickly, faster
ruler, measure
word wrap, lines, break
beta, unfinished, experimental
remember me, stay signed in, keep * signed in, keep me
send a copy, copy to me, me as well
read only, forbid changes, nobody, changes
overwrite, write over, replace, existing
loop, repeat, again and again, endlessly
urgent, pressing, important, at once
private, secret, me alone, only me
subtitles, captions
backup, safety copy, in case
ask again, ask, asked, question
confirm, ask before, asked first
two sided, both sides, front and back, duplex
on sale, bargains, bargain, lower price, reduced, cheaper, discount
in stock, available, delivered
new in, new products, new goods, new, latest
handmade, made by hand, by hand
gift wrap, present, gift
top rated, best, best reviews, reviews, stars
vegan, animals, animal
error, errors, mistake, mistakes, bug, bugs, problem
debug, debugging
extension, extensions, extend, plugin, plugins, add-on
authors, author, writer
basic, simple, elementary
build, compile, install
"""

_SMALL = """
a an the and or but of in on at to for with from by as into onto over about than then so if it its it's this that these those there here
i i'd i'm i'll i've me my mine we us our you your he she they them his her their one ones some any is are was were be been being am
do does did doing done have has had having can could would should will shall may might must want wants wanted need needs like please
let lets get give take go going went come make put what which who whom whose how when where why not no just only very too also well
again now up down out off all more other something anything everything thing things lot bit little much many rather right
"""
_STOP = frozenset(_SMALL.split())
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)?", re.UNICODE)
_DIGITS = re.compile(r"(?<=[a-z])(?=\d)|(?<=\d)(?=[a-z])")
_NUMBERS = {"first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6"}
_GAP = 3


class ThesaurusTerm(NamedTuple):
    """A word or a phrase: its stem (of all its words), and what it may mean, by the numbers of the lines above."""

    stem: str
    meanings: frozenset[int]


@lru_cache(maxsize=8192)
def stem(word: str) -> str:
    """A word without its ending: enough for plurals and forms of verbs, nothing more.

    >>> stem("files"), stem("searching"), stem("copies"), stem("stopped")
    ('file', 'search', 'copy', 'stop')
    """
    if len(word) <= 3 or not word.isalpha():
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    for ending in ("ing", "ed"):
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            bare = word[: -len(ending)]
            if bare[-1] == bare[-2] and bare[-1] not in "sl":
                return bare[:-1]
            return bare
    if word.endswith("es") and word[-3] in "sxz" and len(word) > 4:
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    return word


def same(a: str, b: str) -> bool:
    """Whether two stems are forms of one word; a final e comes and goes: store, storing."""
    return a == b or a.rstrip("e") == b.rstrip("e")


def words_of(text: str) -> list[str]:
    """Lower case words; letters and digits are parted, ordinals are numbers."""
    found: list[str] = []
    for word in _WORD.findall(text.casefold().replace("’", "'")):
        ordinal = re.fullmatch(r"(\d{1,3})(?:st|nd|rd|th)", word)
        found += [ordinal[1]] if ordinal else _DIGITS.sub(" ", word).split()
    return found


def _phrases() -> dict[str, list[tuple[tuple[str, ...], int]]]:
    """Phrases by their first stem, each with its meaning."""
    found: dict[str, list[tuple[tuple[str, ...], int]]] = {}
    for number, line in enumerate(MEANINGS.strip().splitlines()):
        for phrase in line.split(","):
            stems = tuple("*" if w == "*" else stem(w) for w in re.findall(r"\*|[^\W_]+(?:'[^\W_]+)?", phrase))
            found.setdefault(stems[0].rstrip("e"), []).append((stems, number))
    return found


_PHRASES = _phrases()


@lru_cache(maxsize=16384)
def units(text: str, longest: bool = False) -> tuple[ThesaurusTerm, ...]:
    """A text as words and phrases with what they may mean. Words of a phrase stay words, too, as a label may have one of them;
    with `longest` they do not: who says "keep me signed in" does not want to sign in.
    """
    raw = words_of(text)
    stems = [stem(_NUMBERS.get(w, w)) for w in raw]
    found: dict[tuple[int, ...], set[int]] = {}
    for i, one in enumerate(stems):
        if raw[i] not in _STOP:
            found.setdefault((i,), set())
        for phrase, number in _PHRASES.get(one.rstrip("e"), ()):
            at = tuple(_spans(phrase, stems, i))
            if len(at) > 1 or at in found:
                found.setdefault(at, set()).add(number)
    kept = [at for at in found if not longest or not any(set(at) < set(other) for other in found)]
    return tuple(ThesaurusTerm(" ".join(stems[j] for j in at), frozenset(found[at])) for at in kept)


def _spans(phrase: tuple[str, ...], stems: list[str], start: int) -> list[int]:
    """Where the words of a phrase stand, beginning at a place; nothing where they do not."""
    at, place, free = [], start, 0
    for wanted in phrase:
        if wanted == "*":
            free = _GAP
            continue
        while place < len(stems) and not same(stems[place], wanted) and free:
            place, free = place + 1, free - 1
        if place >= len(stems) or not same(stems[place], wanted):
            return []
        at.append(place)
        place, free = place + 1, 0
    return at
