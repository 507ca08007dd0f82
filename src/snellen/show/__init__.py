"""What people look at: terminal tables and the HTML page. Reads runs, writes pages, asks nobody."""
