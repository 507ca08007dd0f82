"""Everything that draws or writes a synthetic set; a folder for each kind of picture, and what they share:

    chance.py    random numbers by key, cases dealt evenly        pool.py      work on all cores, in order
    writing.py   claiming a folder, whole files                   tables.py    sets that are parquet shards
    documents.py JSON documents, record by record

Whoever draws also writes: a process gives back names and short texts, so that one core is not what all others wait for. (Only of a set of
few parquet files are pictures given back and written by one.)

An exam names its maker (`make` in a folder's make.py) and imports from here the names that stand in the data; nothing here
knows an exam.

There are three surfaces to draw on, because a screen, a scene and a painting have little in common but their name. A screen is
palette indices with exact edges and is drawn in milliseconds (screens/canvas.py: `IndexedCanvas`, and `IconPen` for the ink of
icons). A scene is a drawing of units with pens that remember what they covered (scenes/canvas.py: `Canvas`, `Pen`). A painting
begins with a field of colours and gets shapes on top (hidden/scenery_base.py: `Painting`; `OutlinePen` collects silhouettes).
The sheets of the eye exam (sheets/) have none: they are arrays of levels, since their marks lie on fractions of pixels and levels.
"""
