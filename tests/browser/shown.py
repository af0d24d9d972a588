"""A widget on a page, as tests handle it: gestures in, pixels out; where it is shown says who is beneath."""

from __future__ import annotations

import base64
import io
import json
import re
import time
from abc import abstractmethod
from typing import Any

import numpy as np
from PIL import Image

READY = "[data-cxg-state=ready]"
WAIT_S = 30
"""A busy machine is late, not wrong; what has not come by then never does."""


class Shown:
    """A widget `w` on a page.

    Attributes
    ----------
    page : of Playwright
    complaints : errors of its scripts
    """

    page: Any
    complaints: list[str]

    @abstractmethod
    def rest(self):
        """Wait until what was asked for has been answered, whatever that brings."""

    @abstractmethod
    def ask(self, code):
        """Run Python beside the widget, and return what it prints."""

    @abstractmethod
    def json(self, expression):
        """Return the value of an expression about the widget, as JSON has it."""

    @property
    def host(self):
        return self.page.locator(".cxg-widget").first

    @property
    def canvas(self):
        return self.host.locator("canvas.cxg-plot").last  # beneath it another may be getting ready to take over

    def settle(self, timeout_s=WAIT_S):
        """Wait until everything asked for is on the screen."""
        self.rest()
        self.page.locator(f".cxg-widget{READY}").first.wait_for(timeout=timeout_s * 1000)
        return self

    def set(self, code):
        """Run Python that changes the widget, and wait for the picture."""
        self.ask(code)
        return self.settle()

    def pixels(self, canvas=None):
        """Return the plot as uint8 (height, width, 3), CSS pixels, without what lies over it."""
        image = (canvas or self.canvas).evaluate("(canvas) => canvas.toDataURL()").split(",")[1]
        plot = Image.open(io.BytesIO(base64.b64decode(image))).convert("RGBA")
        paper = Image.new("RGBA", plot.size, (*self.background(canvas), 255))
        return np.array(Image.alpha_composite(paper, plot).convert("RGB"))

    def background(self, canvas=None):
        """Return the color of the page behind the points; a pixel of the screen might be one of them."""
        color = (canvas or self.canvas).evaluate(
            "(canvas) => getComputedStyle(canvas.getRootNode().querySelector('.root')).backgroundColor"
        )
        red, green, blue = re.fullmatch(r"rgb\((\d+), (\d+), (\d+)\)", color).groups()
        return int(red), int(green), int(blue)

    def colors(self, minimum=3):
        """Return the colors of at least `minimum` pixels."""
        found, counts = np.unique(self.pixels().reshape(-1, 3), axis=0, return_counts=True)
        return {tuple(int(c) for c in color) for color, count in zip(found, counts, strict=True) if count >= minimum}

    def view(self):
        """Return what the plot shows: x left, x right, y bottom, y top in data units."""
        return json.loads(self.host.get_attribute("data-cxg-view"))

    def to_px(self, points):
        """Turn data units into page pixels."""
        box = self.canvas.bounding_box()
        left, right, bottom, top = self.view()
        points = np.asarray(points, dtype=float)
        return np.column_stack(
            [
                box["x"] + (points[:, 0] - left) / (right - left) * box["width"],
                box["y"] + (top - points[:, 1]) / (top - bottom) * box["height"],
            ]
        )

    def to_data(self, px):
        """Turn page pixels into data units."""
        box = self.canvas.bounding_box()
        left, right, bottom, top = self.view()
        px = np.asarray(px, dtype=float)
        return np.column_stack(
            [
                left + (px[:, 0] - box["x"]) / box["width"] * (right - left),
                top - (px[:, 1] - box["y"]) / box["height"] * (top - bottom),
            ]
        )

    def shows(self, text):
        """Wait until a text is in the widget."""
        self.host.get_by_text(text).first.wait_for(state="attached")

    def shows_no(self, text):
        """Wait until a text is no longer in the widget."""
        self.host.get_by_text(text).first.wait_for(state="detached")

    def until(self, is_so, timeout_s=WAIT_S):
        """Wait until a function of no arguments returns something true, and return that."""
        end = time.monotonic() + timeout_s
        while not (found := is_so()):
            assert time.monotonic() < end, "it did not become so in time"
            self.page.wait_for_timeout(20)
        return found

    def spot(self, fx, fy):
        """Return the page pixel at a share of the plot."""
        box = self.canvas.bounding_box()
        return box["x"] + fx * box["width"], box["y"] + fy * box["height"]

    def zoom_in(self, place):
        """Turn the wheel at a page pixel, and wait for the picture."""
        self.page.mouse.move(*place)
        for _ in range(5):
            self.page.mouse.wheel(0, -240)
            self.page.wait_for_timeout(20)
        self.settle()

    def drag(self, px, *keys):
        """Press, move through page pixels, release, with modifier keys held."""
        for key in keys:
            self.page.keyboard.down(key)
        self.page.mouse.move(*px[0])
        self.page.mouse.down()
        for x, y in px[1:]:
            self.page.mouse.move(x, y)
        self.page.mouse.up()
        for key in keys:
            self.page.keyboard.up(key)
        return self.rest()

    def color_by(self, text):
        """Type into the color-by box and take the best match."""
        box = self.host.get_by_role("combobox", name="Color by")
        box.click()
        box.fill(text)
        self.rest()
        self.page.keyboard.press("Enter")
        return self.rest()


def ring(cx, cy, rx, ry, count=12):
    """Return whole page pixels around an ellipse, as a hand would draw; the end is far from the start."""
    angles = np.linspace(0, 1.7 * np.pi, count)
    return [(round(cx + rx * np.cos(a)), round(cy + ry * np.sin(a))) for a in angles]
