"""Conversations of the explanation exams and what LLaVA-1.5's own chat template makes of them (golden rows, run on the original).

Each row: earlier turns as (role, text), the last question's text (its image comes after it), the rendered prompt.
"""

from __future__ import annotations

Row = tuple[tuple[tuple[str, str], ...], str, str]

ROWS: dict[str, Row] = {
    "vqax_zero": (
        (),
        "Given an IMAGE and a QUESTION, answer and explain in this format:\n<answer> because <explanation>\nQuestion: What color is the bus?",
        "USER: <image>\nGiven an IMAGE and a QUESTION, answer and explain in this format:\n<answer> because <explanation>\nQuestion: What color is the bus? ASSISTANT:",
    ),
    "actx_zero": (
        (),
        "Given an IMAGE, identify the activity and explain in this format:\n<activity> because <explanation>\n",
        "USER: <image>\nGiven an IMAGE, identify the activity and explain in this format:\n<activity> because <explanation>\n ASSISTANT:",
    ),
    "esnlive_zero": (
        (),
        "Given an IMAGE and a HYPOTHESIS, answer and explain in this format:\n<label> because <explanation>\nLabel must be: entailment, contradiction, or neutral.\n\nHypothesis: A person is outdoors, on a horse.",
        "USER: <image>\nGiven an IMAGE and a HYPOTHESIS, answer and explain in this format:\n<label> because <explanation>\nLabel must be: entailment, contradiction, or neutral.\n\nHypothesis: A person is outdoors, on a horse. ASSISTANT:",
    ),
    "vcr_zero": (
        (),
        "Given an IMAGE, a QUESTION and four options, answer and explain in this format:\n<letter> because <explanation>\nLetter must be A, B, C, or D.\nQuestion: Does <det1> live in this house ?\nA) No, <det1> lives nowhere close.\nB) Yes, <det1> works there.\nC) No, <det1> is a visitor.\nD) No <det2> does not belong here.",
        "USER: <image>\nGiven an IMAGE, a QUESTION and four options, answer and explain in this format:\n<letter> because <explanation>\nLetter must be A, B, C, or D.\nQuestion: Does <det1> live in this house ?\nA) No, <det1> lives nowhere close.\nB) Yes, <det1> works there.\nC) No, <det1> is a visitor.\nD) No <det2> does not belong here. ASSISTANT:",
    ),
    "vqax_1shot": (
        (
            ("user", "Question: Is there a dog in the image?"),
            ("assistant", "yes because a dog is visible in the picture"),
        ),
        "Given an IMAGE and a QUESTION, answer and explain in this format:\n<answer> because <explanation>\nQuestion: What color is the bus?",
        "USER: Question: Is there a dog in the image? ASSISTANT: yes because a dog is visible in the picture USER: <image>\nGiven an IMAGE and a QUESTION, answer and explain in this format:\n<answer> because <explanation>\nQuestion: What color is the bus? ASSISTANT:",
    ),
    "actx_1shot": (
        (
            ("user", "Description: A person is sitting with a guitar."),
            ("assistant", "playing guitar because the person is strumming the instrument"),
        ),
        "Given an IMAGE, identify the activity and explain in this format:\n<activity> because <explanation>\n",
        "USER: Description: A person is sitting with a guitar. ASSISTANT: playing guitar because the person is strumming the instrument USER: <image>\nGiven an IMAGE, identify the activity and explain in this format:\n<activity> because <explanation>\n ASSISTANT:",
    ),
    "esnlive_1shot": (
        (
            ("user", "Hypothesis: A person is skiing."),
            ("assistant", "entailment because the image shows someone skiing"),
        ),
        "Given an IMAGE and a HYPOTHESIS, answer and explain in this format:\n<label> because <explanation>\nLabel must be: entailment, contradiction, or neutral.\n\nHypothesis: A person is outdoors, on a horse.",
        "USER: Hypothesis: A person is skiing. ASSISTANT: entailment because the image shows someone skiing USER: <image>\nGiven an IMAGE and a HYPOTHESIS, answer and explain in this format:\n<label> because <explanation>\nLabel must be: entailment, contradiction, or neutral.\n\nHypothesis: A person is outdoors, on a horse. ASSISTANT:",
    ),
    "vcr_1shot": (
        (
            ("user", "Question: Why is the person smiling? Options: A) happy B) sad C) angry D) tired"),
            ("assistant", "A because the person shows clear signs of happiness"),
        ),
        "Given an IMAGE, a QUESTION and four options, answer and explain in this format:\n<letter> because <explanation>\nLetter must be A, B, C, or D.\nQuestion: Does <det1> live in this house ?\nA) No, <det1> lives nowhere close.\nB) Yes, <det1> works there.\nC) No, <det1> is a visitor.\nD) No <det2> does not belong here.",
        "USER: Question: Why is the person smiling? Options: A) happy B) sad C) angry D) tired ASSISTANT: A because the person shows clear signs of happiness USER: <image>\nGiven an IMAGE, a QUESTION and four options, answer and explain in this format:\n<letter> because <explanation>\nLetter must be A, B, C, or D.\nQuestion: Does <det1> live in this house ?\nA) No, <det1> lives nowhere close.\nB) Yes, <det1> works there.\nC) No, <det1> is a visitor.\nD) No <det2> does not belong here. ASSISTANT:",
    ),
    "vqax_3shot": (
        (
            ("user", "Question: Is there a dog in the image?"),
            ("assistant", "yes because a dog is visible in the picture"),
            ("user", "Question: How many people are in the image?"),
            ("assistant", "3 because there are three individuals visible"),
            ("user", "Question: What color is the bus?"),
            ("assistant", "yellow because the vehicle is painted bright yellow"),
        ),
        "Given an IMAGE and a QUESTION, answer and explain in this format:\n<answer> because <explanation>\nQuestion: What color is the bus?",
        "USER: Question: Is there a dog in the image? ASSISTANT: yes because a dog is visible in the picture USER: Question: How many people are in the image? ASSISTANT: 3 because there are three individuals visible USER: Question: What color is the bus? ASSISTANT: yellow because the vehicle is painted bright yellow USER: <image>\nGiven an IMAGE and a QUESTION, answer and explain in this format:\n<answer> because <explanation>\nQuestion: What color is the bus? ASSISTANT:",
    ),
    "actx_3shot": (
        (
            ("user", "Description: A person is sitting with a guitar."),
            ("assistant", "playing guitar because the person is strumming the instrument"),
            ("user", "Description: A person rides a bicycle outside."),
            ("assistant", "riding bike because they are moving on a bicycle"),
            ("user", "Description: Someone stands in a kitchen using pans."),
            ("assistant", "cooking because they are working with pans on a stove"),
        ),
        "Given an IMAGE, identify the activity and explain in this format:\n<activity> because <explanation>\n",
        "USER: Description: A person is sitting with a guitar. ASSISTANT: playing guitar because the person is strumming the instrument USER: Description: A person rides a bicycle outside. ASSISTANT: riding bike because they are moving on a bicycle USER: Description: Someone stands in a kitchen using pans. ASSISTANT: cooking because they are working with pans on a stove USER: <image>\nGiven an IMAGE, identify the activity and explain in this format:\n<activity> because <explanation>\n ASSISTANT:",
    ),
    "esnlive_3shot": (
        (
            ("user", "Hypothesis: A person is skiing."),
            ("assistant", "entailment because the image shows someone skiing"),
            ("user", "Hypothesis: The man is riding a bicycle indoors."),
            ("assistant", "contradiction because the bicycle is outdoors"),
            ("user", "Hypothesis: Someone might be preparing a meal."),
            ("assistant", "neutral because the kitchen scene is ambiguous"),
        ),
        "Given an IMAGE and a HYPOTHESIS, answer and explain in this format:\n<label> because <explanation>\nLabel must be: entailment, contradiction, or neutral.\n\nHypothesis: A person is outdoors, on a horse.",
        "USER: Hypothesis: A person is skiing. ASSISTANT: entailment because the image shows someone skiing USER: Hypothesis: The man is riding a bicycle indoors. ASSISTANT: contradiction because the bicycle is outdoors USER: Hypothesis: Someone might be preparing a meal. ASSISTANT: neutral because the kitchen scene is ambiguous USER: <image>\nGiven an IMAGE and a HYPOTHESIS, answer and explain in this format:\n<label> because <explanation>\nLabel must be: entailment, contradiction, or neutral.\n\nHypothesis: A person is outdoors, on a horse. ASSISTANT:",
    ),
    "vcr_3shot": (
        (
            ("user", "Question: Why is the person smiling? Options: A) happy B) sad C) angry D) tired"),
            ("assistant", "A because the person shows clear signs of happiness"),
            ("user", "Question: What is the woman doing? Options: A) reading B) sleeping C) running D) dancing"),
            ("assistant", "A because she is holding an open book"),
            ("user", "Question: What is the child looking at? Options: A) dog B) phone C) bird D) ball"),
            ("assistant", "B because the child is facing the device in their hands"),
        ),
        "Given an IMAGE, a QUESTION and four options, answer and explain in this format:\n<letter> because <explanation>\nLetter must be A, B, C, or D.\nQuestion: Does <det1> live in this house ?\nA) No, <det1> lives nowhere close.\nB) Yes, <det1> works there.\nC) No, <det1> is a visitor.\nD) No <det2> does not belong here.",
        "USER: Question: Why is the person smiling? Options: A) happy B) sad C) angry D) tired ASSISTANT: A because the person shows clear signs of happiness USER: Question: What is the woman doing? Options: A) reading B) sleeping C) running D) dancing ASSISTANT: A because she is holding an open book USER: Question: What is the child looking at? Options: A) dog B) phone C) bird D) ball ASSISTANT: B because the child is facing the device in their hands USER: <image>\nGiven an IMAGE, a QUESTION and four options, answer and explain in this format:\n<letter> because <explanation>\nLetter must be A, B, C, or D.\nQuestion: Does <det1> live in this house ?\nA) No, <det1> lives nowhere close.\nB) Yes, <det1> works there.\nC) No, <det1> is a visitor.\nD) No <det2> does not belong here. ASSISTANT:",
    ),
    "vqax_answer_only": (
        (),
        "Given an IMAGE and a QUESTION, answer in this format:\n<answer>\nUse at most three words and do not add any explanation.Question: What color is the bus?",
        "USER: <image>\nGiven an IMAGE and a QUESTION, answer in this format:\n<answer>\nUse at most three words and do not add any explanation.Question: What color is the bus? ASSISTANT:",
    ),
    "actx_answer_only": (
        (),
        "Given an IMAGE, identify the activity in this format:\n<activity>\nUse at most two words and do not add any explanation.",
        "USER: <image>\nGiven an IMAGE, identify the activity in this format:\n<activity>\nUse at most two words and do not add any explanation. ASSISTANT:",
    ),
    "esnlive_answer_only": (
        (),
        "Given an IMAGE and a HYPOTHESIS, classify the relation in this format:\n<label>\nLabel must be exactly one of: entailment, contradiction, neutral.\nUse only the label and do not add any explanation.Hypothesis: A person is outdoors, on a horse.",
        "USER: <image>\nGiven an IMAGE and a HYPOTHESIS, classify the relation in this format:\n<label>\nLabel must be exactly one of: entailment, contradiction, neutral.\nUse only the label and do not add any explanation.Hypothesis: A person is outdoors, on a horse. ASSISTANT:",
    ),
    "vcr_answer_only": (
        (),
        "Given an IMAGE, a QUESTION and four options, choose the correct answer in this format:\n<letter>\nLetter must be A, B, C, or D.Use only the letter and do not add any explanation.\nQuestion: Does <det1> live in this house ?\nA) No, <det1> lives nowhere close.\nB) Yes, <det1> works there.\nC) No, <det1> is a visitor.\nD) No <det2> does not belong here.",
        "USER: <image>\nGiven an IMAGE, a QUESTION and four options, choose the correct answer in this format:\n<letter>\nLetter must be A, B, C, or D.Use only the letter and do not add any explanation.\nQuestion: Does <det1> live in this house ?\nA) No, <det1> lives nowhere close.\nB) Yes, <det1> works there.\nC) No, <det1> is a visitor.\nD) No <det2> does not belong here. ASSISTANT:",
    ),
    "vcr_zero_two_choices": (
        (),
        "Given an IMAGE, a QUESTION and four options, answer and explain in this format:\n<letter> because <explanation>\nLetter must be A, B, C, or D.\nQuestion: Q?\nA) No, <det1> lives nowhere close.\nB) Yes, <det1> works there.\nC) missing\nD) missing",
        "USER: <image>\nGiven an IMAGE, a QUESTION and four options, answer and explain in this format:\n<letter> because <explanation>\nLetter must be A, B, C, or D.\nQuestion: Q?\nA) No, <det1> lives nowhere close.\nB) Yes, <det1> works there.\nC) missing\nD) missing ASSISTANT:",
    ),
}
