"""An evening at the table in a real browser: if this fails, somebody is stuck on the way to the final score."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import OpenPhone, Phone
from tests.web.demo_table import DemoTable

pytestmark = pytest.mark.browser

SIZES = {"phone": (360, 740), "tablet": (820, 1180), "tv": (1600, 900)}
EVENINGS = [("phone", "nl"), ("tablet", "fr"), ("tv", "en")]
"""Whole evenings; that every page speaks every language at every size is looked at in test_pages.py."""


def fits(phone: Phone) -> None:
    """Nothing sticks out sideways: a page that scrolls both ways cannot be used with a thumb."""
    wide, room = phone.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= room, f"the page is {wide} px wide on a screen of {room} px"


def set_up(phone: Phone) -> None:
    page = phone.page
    expect(page.locator(".welcome")).to_be_visible()
    phone.axe()
    page.click(".welcome .button.main")
    page.click(".card >> text=/^Azul$/")
    for index, name in enumerate(("Ann", "Bo")):
        page.locator(".seats input:not([type=radio])").nth(index).fill(name)
    fits(phone)
    phone.axe()
    page.click(".buttons.end .main")
    page.wait_for_selector(".corners .handle")
    phone.axe()
    drag_a_corner(phone)
    while page.locator(".corners .handle").count():
        title = page.locator(".wizard p b").inner_text()
        page.click(".buttons.end .main")
        page.wait_for_function(
            "title => { const now = document.querySelector('.wizard p b'); return !now || now.textContent !== title; }",
            arg=title)
    page.locator(".choice").nth(1).click()
    page.locator(".corners svg").click(position={"x": 60, "y": 60})
    page.click(".buttons.end .main")
    page.wait_for_selector("img.camera")
    phone.axe()
    page.locator(".block input").fill("Keukentafel")
    page.click(".buttons.end .main")
    expect(page.locator(".scores")).to_be_visible()
    names = [name for name, _ in phone.table.commands]
    assert {"setup-propose", "setup-place", "setup-colours", "setup-check", "setup-finish", "new-game"} <= set(names)
    assert phone.table.tables[0]["name"] == "Keukentafel"


def drag_a_corner(phone: Phone) -> None:
    """With a thumb: the glass appears while it is held, and the point lies elsewhere afterwards."""
    page = phone.page
    handle = page.locator(".handle").nth(1)
    before = handle.get_attribute("transform")
    box = handle.bounding_box()
    assert box is not None and box["width"] >= 44, "too small for a thumb"
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(x + 24, y + 10, steps=4)
    expect(page.locator(".glass")).to_be_visible()
    page.mouse.up()
    expect(page.locator(".glass")).to_have_count(0)
    assert handle.get_attribute("transform") != before
    handle.focus()
    page.keyboard.press("ArrowLeft")


def play_some(phone: Phone) -> None:
    phone.table.play(4)
    last = phone.table.snapshot().moves[-1]
    shown = phone.page.locator(".last")
    expect(shown).to_contain_text(["Ann", "Bo"][(last.player or 1) - 1])
    expect(phone.page.locator(".score.turn")).to_have_count(1)
    expect(phone.page.locator(".score .points").first).to_have_text("0")
    fits(phone)
    phone.axe(always=True)


def slip(phone: Phone) -> None:
    page, table = phone.page, phone.table
    alert = table.slip("colour-mixed-in-line")
    panel = page.locator(".panel.slip")
    expect(panel).to_contain_text(["Ann", "Bo"][(alert.player or 1) - 1])
    expect(panel).to_contain_text("A39")
    expect(panel.locator("img")).to_be_visible()
    expect(page.locator(".place.hot").first).to_be_visible()
    phone.axe(always=True)
    table.put_right()
    expect(panel).to_have_count(0)
    expect(page.locator(".place.hot")).to_have_count(0)
    table.slip("tiles-left-behind")
    panel.get_by_role("button", name=phone.said("slip.accept")).click()
    expect(panel).to_have_count(0)
    table.slip("rest-not-moved")
    panel.get_by_role("button", name=phone.said("slip.misread")).click()
    expect(panel).to_have_count(0)
    expect(page.locator("dialog.sheet").or_(page.locator("[data-place][role=button]")).first).to_be_visible()
    page.keyboard.press("Escape")
    phone.page.evaluate("location.reload()")
    expect(page.locator(".scores")).to_be_visible()
    assert [name for name, _ in table.commands[-2:]] == ["accept", "misread"]


def question(phone: Phone) -> None:
    count = len(phone.table.snapshot().moves)
    phone.table.ask()
    panel = phone.page.locator(".panel.question")
    expect(panel).to_contain_text(phone.said("question.ambiguous"))
    mover = next(view.name for view in phone.table.snapshot().players if view.to_move)
    expect(panel.locator(".answers button").first).to_contain_text(mover)
    phone.axe()
    panel.locator(".answers button").first.click()
    expect(panel).to_have_count(0)
    moves = phone.table.snapshot().moves
    assert len(moves) == count + 1 and moves[-1].source == "person"


def correction(phone: Phone) -> None:
    page, table = phone.page, phone.table
    page.get_by_role("button", name=phone.said("correct.start")).click()
    page.locator('[data-place="centre"]').click()
    sheet = page.locator("dialog.sheet")
    expect(sheet).to_be_visible()
    phone.axe()
    sheet.locator(".counts li").nth(2).locator("button").last.click()
    sheet.get_by_role("button", name=phone.said("correct.save")).click()
    expect(sheet).to_have_count(0)
    assert table.commands[-1][0] == "set-place"
    page.get_by_role("button", name=phone.said("correct.done")).click()
    phone.go("moves")
    count = len(table.snapshot().moves)
    page.get_by_role("button", name=phone.said("moves.undo-one", n=count), exact=True).click()
    expect(page.locator(".moves li")).to_have_count(count - 1)
    page.locator(".moves .buttons button").first.click()
    phone.axe()
    choices = page.locator("dialog .answers button")
    choices.last.click()
    expect(sheet).to_have_count(0)
    assert table.snapshot().moves[-1].source == "person"
    expect(page.locator(".by").first).to_have_text(phone.said("moves.by-hand"))
    phone.go("")


def round_end(phone: Phone) -> None:
    phone.table.play_until(lambda snapshot: bool(snapshot.rounds))
    card = phone.page.locator(".panel.round")
    expect(card).to_contain_text(phone.said("round.title", round=1))
    expect(card.locator("details")).to_have_count(2)
    expect(card.locator(".chart svg[role=img]")).to_be_visible()
    phone.axe()
    card.locator(".close").click()
    expect(card).to_have_count(0)


def game_end(phone: Phone) -> None:
    page, table = phone.page, phone.table
    table.play_until(lambda snapshot: snapshot.result is not None)
    card = page.locator(".panel.final")
    expect(card.locator("h2")).not_to_be_empty()
    result = table.snapshot().result
    assert result is not None
    shown = sorted(int(text) for text in card.locator(".total").all_inner_texts())
    assert shown == sorted(result.scores)
    fits(phone)
    phone.axe(always=True)
    card.get_by_role("button").first.click()
    expect(page.locator("canvas.share")).to_be_visible()
    assert str(max(result.scores)) in page.locator("#share-text").input_value()
    with page.expect_download() as download:
        page.click("a[download]")
    assert download.value.suggested_filename == "game.png"
    page.keyboard.press("Escape")
    phone.go("history")
    expect(page.locator(".games li")).to_have_count(1)
    phone.axe()
    phone.go("scores")
    expect(page.locator(".panel.final")).to_be_visible()


@pytest.mark.parametrize(("size", "language"), EVENINGS, ids=lambda value: str(value))
def test_an_evening(phone: OpenPhone, size: str, language: str) -> None:
    guest = phone(DemoTable(None, seed=3), SIZES[size], language)
    guest.careful = size == "phone"
    assert guest.page.evaluate("document.documentElement.lang") == language
    for part in (set_up, play_some, slip, question, correction, round_end, game_end):
        part(guest)
