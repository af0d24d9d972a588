"""Channels of images of SpatialData: which are shown, within which limits, and which are read."""

import numpy as np
import pytest

from cxg_widget import CxgWidget, errors
from cxg_widget.wire import protocol as p
from tests.datasets.turned import open_masks, whole


def test_only_names_of_red_green_and_blue_are_colors(sample):
    with open_masks(sample) as dataset:
        ramp = whole(dataset, "ramp")
        values = dataset._elements.images["panel"].levels[1].read()
        found = whole(dataset, "panel")
        for channel in range(3):  # RNA, GFP and BFP, each stretched by itself
            low, high = np.percentile(values[channel], [0.1, 99.9])
            expected = np.floor(np.clip((values[channel] - low) * 255 / (high - low), 0, 255))
            np.testing.assert_allclose(found[..., channel], expected, atol=1)
        # 16 bits of red, green and blue have one scale, so that their color stays.
        scan = whole(dataset, "scan").astype(float)
        np.testing.assert_allclose(scan, ramp * (255 / 238.0), atol=3)


def test_px_without_a_value_are_dark_and_do_not_darken_the_others(sample):
    with open_masks(sample, channels="gap") as dataset:
        found = whole(dataset, "panel")[..., 0]
        assert not found[:40].any()
        assert found[-1, -1] == 255


def test_contrast_limits_of_red_green_and_blue_count_too(sample):
    with open_masks(sample, contrast_limits={"r": (0, 119)}) as dataset:
        found = whole(dataset, "ramp")
        expected = np.minimum(2.0 * np.arange(120) * 255 / 119, 255)
        np.testing.assert_allclose(found[0, :, 0], expected, atol=1)
        np.testing.assert_array_equal(found[:, 0, 1], 2 * np.arange(96))


def test_an_image_shows_those_of_the_channels_that_it_has(sample):
    with open_masks(sample, channels=["DAPI", "gap"]) as dataset:
        assert dataset._tissue._drawn["bright"]._chosen == [0]
        assert dataset._tissue._drawn["panel"]._chosen == [3, 4]
        assert len(set(map(tuple, whole(dataset, "ramp").reshape(-1, 3)))) > 1_000  # which has neither: as it is


def test_a_widget_switches_between_an_image_and_each_of_its_channels(sample):
    widget = CxgWidget(sample, table="of_masks", tissue="panel", contrast_limits={"DAPI": (0, 90)})
    (frame,) = widget._session.answer(p.AskSections())
    channels = [f"panel/{name}" for name in ("RNA", "GFP", "BFP", "DAPI", "gap")]
    assert frame.message.names == ["bright", "panel", "ramp", "scan", "stack", *channels]
    widget.tissue = "panel/DAPI"
    values = widget.dataset._elements.images["panel"].levels[1].read()[3]
    found = whole(widget.dataset, "panel/DAPI")
    for color in range(3):
        np.testing.assert_allclose(found[..., color], np.floor(np.clip(values * 255 / 90, 0, 255)), atol=1)
    with pytest.raises(errors.UnknownName, match="panel/DAPI"):
        widget.tissue = "panel/DAPY"
    widget.close()
    with open_masks(sample, "turned") as dataset:
        assert dataset.find_image("panel/DAPI").outline == dataset.find_image("panel").outline


def test_chunks_of_channels_that_are_not_shown_are_not_read(sample):
    with open_masks(sample, channels="DAPI", contrast_limits={"DAPI": (0, 99)}) as dataset:
        read = []
        array = dataset._elements.images["panel"].levels[1]
        array.read = lambda *keys, own=array.read: (read.append(keys[0]), own(*keys))[1]
        whole(dataset, "panel")
        assert set(map(str, read)) == {"slice(3, 4, None)"}


@pytest.mark.parametrize(
    "limits",
    [
        {"DAPI": ("a", "b")},
        {"DAPI": (5, 5)},
        {"DAPI": "ab"},
        {"DAPI": (1, 2, 3)},
        7,
        {"DAPI": (None, 4)},
        {"DAPI": (0, np.inf)},
    ],
)
def test_contrast_limits_that_are_none_are_one_sentence(sample, limits):
    with pytest.raises(errors.InvalidOption, match="write a pair for each channel"):
        open_masks(sample, contrast_limits=limits)
    with open_masks(sample, contrast_limits={"DAPI": np.array([0.0, 5.0])}) as dataset:
        assert dataset.sections().images
