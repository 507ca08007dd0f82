"""The texts that methods send to models.

Texts that define another project's protocol are kept byte for byte: UI-TARS's evaluation prompt and GROUNDING template, OmniParser's
chooser, ScreenSeekeR's planner. The others are ours. Image and text stand in the order that each protocol states.
"""

from __future__ import annotations

EXAM = "grounding"

# UI-TARS: the maintainers' evaluation prompt; image first, then this and the instruction
UITARS_OFFICIAL = (
    "Output only the coordinate of one point in your response. What element matches the following task: {instruction}"
)
# UI-TARS: the GROUNDING template of its repository (the stray quote is upstream's)
UITARS_GROUNDING = (
    "You are a GUI agent. You are given a task and your action history, with screenshots. "
    "You need to perform the next action to complete the task. \n\n"
    "## Output Format\n\nAction: ...\n\n\n"
    "## Action Space\nclick(point='<point>x1 y1</point>'')\n\n"
    "## User Instruction\n{instruction}"
)

# OmniParser's own evaluation on ScreenSpot-Pro: text, screenshot, screenshot with numbered boxes
CHOOSER_SYSTEM = (
    "You are an expert at completing instructions on GUI screens. \n"
    "               You will be presented with two images. The first is the original screenshot. The second is the same screenshot "
    "with some numeric tags. You will also be provided with some descriptions of the bbox, and your task is to choose the numeric "
    "bbox idx you want to click in order to complete the user instruction."
)
CHOOSER = (
    "The instruction is to {instruction}. \nHere is the list of all detected bounding boxes by IDs and their descriptions: {boxes}. \n"
    "Keep in mind the description for Text Boxes are likely more accurate than the description for Icon Boxes. \n"
    " Requirement: 1. You should first give a reasonable description of the current screenshot, and give a some analysis of how can "
    "the user instruction be achieved by a single click. 2. Then make an educated guess of bbox id to click in order to complete the "
    "task using both the visual information from the screenshot image and the bounding boxes descriptions. REMEMBER: the task "
    "instruction must be achieved by one single click. 3. Your answer should follow the following format: "
    "{{'Analysis': 'xxx', 'Click BBox ID': 'y'}}. Please do not include any other info."
)
CHOOSER_REFUSAL = "\nIf none of the boxes is what the instruction asks for, answer with 'Click BBox ID': 'none'."

# ScreenSeekeR, as a public re-implementation quotes it; image first
PLANNER_SYSTEM = "You are an expert in using electronic devices and interacting with graphic interfaces."
PLANNER = """I want to identify a UI element that best matches my instruction. Please help me determine which region(s) of the screenshot to focus on and list the UI elements that might appear next to the target.
If the target does not exist in the screenshot, please output 'No target'.

**Output Requirements:**
1. List the possible regions in descending order of probability.
2. **Always make specific, clear and unique references to avoid ambiguity**. References such as 'Other icons' and 'window' are NOT allowed, because they don't refer to a specific UI element.
3. Use the following XML tags to describe items in the screenshot:
   - `<element>`: Wrap a specific UI element.
   - `<area>`: Describe an area of the UI containing multiple elements.
   - `<neighbor>`: Describe a UI element that may appear around the target, to help anchor its location.

**Example Output (No need to follow the strict sentence format):**
1. The <element>shortcut link</element> is most likely to be found in the <area>Settings window</area>, in the <area>tools panel in settings window</area> next to the <neighbor>Search button in the settings window</neighbor>. There is also a <neighbor>update button in the settings window</neighbor> nearby.
2. The target may also appear in the <area>Web Browser</area>, in the <area>Bookmark bar in browser</area>, next to the <neighbor>Search button in the bookmark bar in web browser</neighbor> and the <neighbor>open bookmark collection button in the browser</neighbor>.
...

**Important Notes:**
- The target UI element is guaranteed to be present in the screenshot. Do **not** speculate about any operations that could change the screenshot, such as navigating to another page or opening a menu.

**Instruction:**
{instruction}"""  # noqa: E501 (theirs)
CHECK = """You are given a cropped screenshot. Your task is to evaluate whether the marked element in red box matches the target described in my instruction.

Please follow these steps:
1. Analyze the screenshot by describing its visible content and functionalities.
2. Determine which of the following applies:
    - 'is_target': The marked element is the target.
    - 'target_elsewhere': The marked element is not the target, but the target exists elsewhere in the screenshot.
    - 'target_not_found': The marked element is not the target, and the target does not exist in the screenshot.
3. If the target exists, rewrite the instruction to make it more specific and clear. This should include unambiguous details like labels, text, or position.

After your analysis, provide the result in JSON format with the following fields:
- 'result': (str) One of 'is_target', 'target_elsewhere', or 'target_not_found'.
- 'new_instruction': (str, default null) A clearer, more specific version of the instruction, if applicable.

Here is my instruction:
{instruction}"""  # noqa: E501 (theirs)

# Ours, one for each point format; {width} and {height} are of the picture as it is sent
PIXELS_JSON = (
    "The screenshot is {width} pixels wide and {height} pixels high. Find the UI element that this instruction is about:\n{instruction}\n"
    'Reply with JSON only: {{"x": X, "y": Y}}, the pixel in the middle of that element.'
)
QWEN_PIXELS = (
    "The screenshot is {width}x{height} pixels. Locate the UI element that this instruction is about:\n{instruction}\n"
    'Reply with JSON only: {{"point_2d": [x, y]}}, in pixels of the screenshot.'
)
QWEN_THOUSAND = (
    "Locate the UI element that this instruction is about:\n{instruction}\n"
    'Reply with JSON only: {{"point_2d": [x, y]}}, with x and y from 0 to 1000 relative to the width and height of the screenshot.'
)
CLAUDE_PIXELS = (
    "The screenshot is {width} pixels wide and {height} pixels high. What would you click to follow this instruction?\n{instruction}\n"
    'Reply with JSON only: {{"action": "left_click", "coordinate": [x, y]}}, in pixels of the screenshot.'
)
MOLMO = "Point to the UI element that this instruction is about: {instruction}"
UNIT_JSON = (
    "Find the UI element that this instruction is about:\n{instruction}\n"
    'Reply with JSON only: {{"x": X, "y": Y}}, the middle of that element, with X and Y from 0 to 1 relative to width and height.'
)
REFUSAL = "\nIf there is no such element on the screenshot, reply with the one word: none"


def filled(template: str, **values: object) -> str:
    """Return a prompt with its blanks filled; the values are text and are not read as a template."""
    return template.format(**values)
