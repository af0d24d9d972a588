"""The picture of a plot that a notebook keeps, without title and legend."""

import numpy as np

from cxg_widget.color.paper import PAPERS
from cxg_widget.draw.image_files import encode_png
from cxg_widget.draw.pages.page import draw_page
from cxg_widget.session.pictures.figure_pages import Size
from cxg_widget.session.pictures.portrait import Painter, sight_of


def still(session, view=None, size=(200, 150), *, paper=PAPERS["white"], max_points=None):
    """Return a picture of at most so many cells, None = all: uint8 (height, width, 4), and its key."""
    most = session.dataset.n_obs if max_points is None else max_points
    pages = session.stills(view, paper, legend=False, most=most)
    image = draw_page(pages.page(Size((float(size[0]), float(size[1])))))
    opaque = np.full((*image.shape[:2], 4 - image.shape[2]), 255, np.uint8)
    return np.concatenate([image, opaque], axis=2), pages._panels[0].key


def still_png(session, view=None, size=(200, 150), *, max_points=None):
    return encode_png(still(session, view, size, max_points=max_points)[0][:, :, :3])


def painter_of(session, view=None, size=(200, 150)):
    held = session.loader.of(session.settings)
    return Painter(held, session.mask, sight_of(held, view, size), PAPERS["white"])
