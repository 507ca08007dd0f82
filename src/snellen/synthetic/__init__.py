"""Drawing and writing of synthetic sets: a folder (or charts.py) for each kind of picture, and shared modules:

    chance.py    random numbers by key, cases dealt evenly        pool.py      work on all cores, in order
    writing.py   claiming a folder, whole files                   tables.py    sets that are parquet shards
    documents.py sets of pictures with JSON documents             drawings.py  drawings as text, in TOML files
    colours.py   colours and what is between them                expressions.py  arithmetic in data files

A process that draws a picture also writes it and returns its name and short texts. Pictures of parquet files are returned, and one
process writes the files.

An exam names its maker (`make` in a folder's make.py) and imports from here the names that occur in the data. Nothing here
depends on an exam.

Drawings are data, with their loops and chance (drawings.py: `Painter`); a pen gives each form its ink. A screen is palette indices with
exact edges and is drawn in milliseconds (screens/canvas.py: `IndexedCanvas`), and its widgets are templates (screens/templates.py). A
scene is drawn in units by pens that record what they covered (scenes/canvas.py: `Canvas`, `Pen`). A painting begins with a field of
colours and gets shapes on top (hidden/scenery_base.py: `Painting`). The sheets of the eye exam (sheets/) are arrays of levels, since
their marks lie on fractions of pixels and levels.
"""
