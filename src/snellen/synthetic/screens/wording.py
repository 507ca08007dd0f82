"""What is written on made-up screens. Letters are those that Pillow's own font has: ASCII."""

from __future__ import annotations


def words(text: str, mark: str | None = None) -> list[str]:
    """A list from a line of text, cut at blanks or at a mark."""
    return text.split(mark)


MENUS = ("File", "Edit", "View", "Insert", "Format", "Tools", "Window", "Help")
CODE_MENUS = ("File", "Edit", "Selection", "View", "Go", "Run", "Terminal", "Help")
IMAGE_MENUS = ("File", "Edit", "Image", "Layer", "Select", "Filter", "View", "Help")

PEOPLE = words(
    "Ada Park|Ben Ortiz|Carla Meyer|David Chen|Emma Novak|Felix Braun|Grace Kim|Hugo Silva|Ivy Tanaka|"
    "Jonas Weber|Karin Olsen|Liam Walsh|Mara Rossi|Nils Berg|Olga Petrov|Paul Adler|Quinn Hayes|Rosa Vega|"
    "Sam Carter|Tess Hall|Uma Rao|Viktor Lund|Wendy Fox|Yara Haddad",
    "|",
)
COMPANIES = words(
    "Alder Bluefin Cobalt Driftwood Everpine Fernlake Granite Harbor Ironleaf Juniper Kestrel Larkspur",
)
FOLDERS = words(
    "Archive Backups Budget Clients Contracts Designs Exports Family Invoices Journal Letters Manuals Meetings "
    "Photos Plans Projects Receipts Recipes Reports Samples Scans School Shared Slides Travel Videos",
)
FILES = words(
    "agenda.txt atlas.pdf backup.zip banner.png budget.xlsx chapter1.doc colors.css data.csv draft.txt "
    "figure2.png guide.pdf index.html invoice.pdf layout.svg letter.doc logo.png main.py map.jpg minutes.doc "
    "notes.md order.csv photo04.jpg plan.xlsx poster.pdf readme.md report.doc resume.pdf sales.xlsx script.js "
    "slides.ppt song.mp3 summary.txt survey.csv tasks.json theme.css trip.jpg utils.py video.mp4",
)
PLACES = ("Recent", "Desktop", "Documents", "Downloads", "Music", "Pictures", "Videos", "Network", "Trash")
PLACE_ICONS = ("clock", "grid", "file", "download", "volume", "image", "play", "globe", "delete")
MAILBOXES = ("Inbox", "Starred", "Drafts", "Sent", "Archive", "Spam", "Trash", "Work", "Family", "Travel")
MAILBOX_ICONS = ("mail", "star", "file", "forward", "folder", "warning", "delete", "tag", "heart", "location")
SUBJECTS = words(
    "Agenda for Monday|Contract draft|Delivery update|Dinner on Friday?|Draft of chapter two|Feedback on slides|"
    "Flight booking|Holiday photos|Interview notes|Invoice 2041|Lunch plans|Meeting moved|Monthly report|"
    "New schedule|Order shipped|Parking permit|Password changed|Project kickoff|Quarterly numbers|"
    "Question about rent|Room booking|Security notice|Server maintenance|Team offsite|Ticket 5512|"
    "Travel expenses|Weekly digest|Welcome aboard",
    "|",
)
SENTENCES = words(
    "The draft is ready and can be read by everyone on the team.|Please look at the numbers before the meeting.|"
    "We moved the date because two of the speakers cannot come.|A short summary is at the end of the page.|"
    "Most of the changes are small and need no further approval.|The room is booked from nine until noon.|"
    "Let me know if something is missing from the list.|The new version is faster and uses less memory.|"
    "All files were copied to the shared folder last night.|It took longer than planned, but the result is good.|"
    "You can change this at any time in your account.|The weather should stay dry until the weekend.|"
    "Three of the five orders have already been sent.|Nothing has to be installed to try it.",
    "|",
)
SETTINGS_PAGES = words(
    "General Appearance Accounts Privacy Notifications Network Display Sound Keyboard Language Storage Updates About",
)
SETTINGS_ICONS = words("settings brush user lock bell wifi brightness volume text globe folder refresh info")
SWITCHES = words(
    "Dark mode|Auto save|Show grid|Sync now|Use Wi-Fi|Mute all|Spell check|Night light|Hide icons|Airplane mode|"
    "Auto update|Show hints|Keep history|Large text|Fast start|Snap to grid|Show ruler|Word wrap|Live preview|"
    "Beta mode",
    "|",
)
CHECKS = words(
    "Remember me|Send a copy|Show hidden|Read only|Overwrite|Keep ratio|All pages|Loop|I agree|Newsletter|Urgent|"
    "Private|Repeat|Subtitles|Encrypt|Backup|Verbose|Confirm|Bold text|Use proxy",
    "|",
)
CHOICES: dict[str, tuple[str, ...]] = {
    "Language": ("English", "Deutsch", "Nederlands", "Italiano", "Polski"),
    "Country": ("Norway", "Canada", "Kenya", "Chile", "Japan"),
    "Time zone": ("UTC", "UTC+1", "UTC-5", "UTC+9"),
    "Theme": ("System", "Light", "Dark"),
    "Quality": ("High", "Medium", "Low"),
    "Font": ("Aileron", "Serif", "Mono"),
    "Size": ("10", "11", "12", "14", "18"),
    "Format": ("PNG", "JPEG", "PDF", "SVG"),
    "Category": ("Office", "Travel", "Food", "Other"),
    "Priority": ("Low", "Normal", "High"),
    "Currency": ("EUR", "USD", "JPY", "GBP"),
    "Paper": ("A4", "A5", "Letter"),
    "Zoom": ("50%", "100%", "150%"),
    "Status": ("Open", "Paid", "Late"),
    "Region": ("North", "South", "East", "West"),
    "Device": ("Speakers", "Headset", "Screen"),
    "Encoding": ("UTF-8", "ASCII", "Latin-1"),
    "Sort by": ("Name", "Date", "Size"),
    "Role": ("Viewer", "Editor", "Admin"),
    "Layout": ("Grid", "List", "Tiles"),
}
FIELDS: dict[str, str] = {
    "Username": "ada.park",
    "Password": "********",
    "Email": "ada@fernlake.org",
    "Phone": "555 0142",
    "Address": "12 Mill Lane",
    "Name": "Ada Park",
    "Title": "Spring plan",
    "Description": "Short note",
    "Message": "See you there",
    "Comment": "Looks good",
    "City": "Bergen",
    "Company": "Kestrel",
    "Website": "kestrel.example",
    "Amount": "120.00",
    "Due date": "2025-03-14",
    "Quantity": "3",
    "Tags": "draft, blue",
    "Coupon": "SPRING",
    "Zip code": "5003",
    "Subject": "Invoice",
    "Folder": "/home/ada",
    "Server": "mail.example",
    "Port": "993",
    "Nickname": "ada",
}
BUTTONS = words(
    "Submit Cancel OK Save Delete Close Open New Edit Copy Paste Undo Redo Apply Next Back Continue Finish Start "
    "Stop Pause Resume Refresh Update Download Upload Send Share Print Export",
)
MORE_BUTTONS = words(
    "Import Browse Install Remove Rename Restore Reset Connect Publish Preview Search Filter Sort Join Leave "
    "Invite Reply Forward Archive Merge Compare Convert Scan Record Retry Skip Accept Decline Upgrade Checkout",
)
LINKS = words(
    "Learn more|Sign up|Log in|Forgot password?|Help|Contact us|Privacy Policy|Terms of Service|View details|"
    "See all|Read more|Click here|Get started|Try it free|Sign out",
    "|",
)
MORE_LINKS = words(
    "About|Blog|Careers|Changelog|Cookies|Docs|Events|FAQ|Forum|Gallery|Imprint|Jobs|Labs|Legal|News|Partners|"
    "Press|Pricing|Releases|Roadmap|Security|Site map|Status|Stories|Support|Team|Tutorials|Webinars",
    "|",
)
NAVIGATION = ("Home", "Products", "Pricing", "Docs", "Blog", "Community", "Support", "Careers")
PRODUCTS = words(
    "Desk lamp|Wool scarf|Tea pot|Notebook|Backpack|Bike bell|Rain coat|Wall clock|Paper knife|Garden fork|"
    "Oak stool|Felt hat|Travel mug|Linen towel|Sketch pad|Candle set|Plant pot|Bread board|Hand cream|Door mat",
    "|",
)
HEADLINES = words(
    "Plan your week in minutes|A quieter way to work|Maps for every trail|Books you will finish|"
    "Tools for small teams|Fresh bread, every day|Learn by building things|Your garden, month by month",
    "|",
)
SONGS = words(
    "Blue Hour|Cold Harbor|Distant Rain|Early Train|Falling Leaves|Glass Garden|Half Moon|Island Time|"
    "Just Before Dawn|Kite Season|Lantern|Morning Fog|Night Swim|Open Road|Paper Boats|Quiet Room|River Song|"
    "Slow Clouds",
    "|",
)
CODE = words(
    "import json|from pathlib import Path|def load(path):|    with path.open() as file:|"
    "        return json.load(file)|class Store:|    def __init__(self, root):|        self.root = root|"
    "        self.items = {}|    def add(self, key, value):|        self.items[key] = value|"
    "        return len(self.items)|def total(rows):|    return sum(r.price for r in rows)|"
    "for name in sorted(names):|    print(name, sizes[name])|if count > limit:|    raise ValueError(count)|"
    "while queue:|    node = queue.pop()|    seen.add(node)|result = [f(x) for x in data]|"
    "return max(result, default=0)|# cached between calls",
    "|",
)
MONTHS = words("January February March April May June July August September October November December")
WEEKDAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
EVENTS = words(
    "Standup Review Dentist Lunch Call Demo Workshop Gym Interview Retro Concert Planning Birthday Flight",
)
STATES = ("Open", "Paid", "Late", "Draft", "Sent", "Done", "Failed", "Active")
TILES = words(
    "Mail Photos Camera Music Maps Clock Weather Files Notes Chat Calendar Store Phone Settings Wallet Print "
    "Search Cloud",
)
TILE_ICONS = words(
    "mail image camera volume location clock brightness folder edit chat calendar cart phone settings tag print "
    "search cloud",
)
