"""Single things people do with a page; each test says what they would miss."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Browser, expect

from tests.browser.conftest import PIN, OpenPhone
from tests.web.demo_table import DemoTable
from web.contract import HealthView

pytestmark = pytest.mark.browser


@pytest.mark.parametrize("language", ["nl", "fr", "en"])
def test_the_big_screen_shows_every_board(phone: OpenPhone, language: str) -> None:
    table = DemoTable("azul", ("Ann", "Bo", "Cléo", "Dirk"), seed=2)
    table.play(25)
    tv = phone(table, (1280, 720), language, "/tv", paired=False)
    expect(tv.page.locator(".tv .own")).to_have_count(4)
    expect(tv.page.locator(".tv .own .piece")).to_have_count(4)
    expect(tv.page.locator(".tv button:visible")).to_have_count(0)
    tall, room = tv.page.evaluate("(tv => [tv.scrollHeight, innerHeight])(document.querySelector('.tv'))")
    assert tall <= room, "a television does not scroll"
    tv.careful = language == "nl"
    tv.axe()
    table.play_until(lambda snapshot: snapshot.result is not None)
    expect(tv.page.locator(".panel.final")).to_be_visible()
    tv.axe()


@pytest.mark.parametrize("language", ["nl", "fr", "en"])
def test_every_page_speaks_every_language_at_every_size(phone: OpenPhone, language: str) -> None:
    """Nobody reads a key, a hole in a sentence, or half a word that sticks out of the screen."""
    table = DemoTable("azul", ("Ann", "Bo"), seed=2)
    table.play_until(lambda snapshot: snapshot.result is not None)
    guest = phone(table, language=language)
    for width, height in ((360, 740), (820, 1180), (1600, 900)):
        guest.page.set_viewport_size({"width": width, "height": height})
        for route in ("", "moves", "scores", "rules", "more", "setup", "history"):
            guest.go(route)
            expect(guest.page.locator("main h2").first).to_be_visible()
            wide, room = guest.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert wide <= room, f"{route} at {width}"
            text = guest.page.locator("body").inner_text()
            assert not re.search(r"\{[a-z]+\}|undefined|NaN|\[object", text), f"{route} at {width}: {text}"
            assert not re.search(r"\b(setup|nav|table|slip|reasons|moves|phases|settings)\.[a-z]", text), route


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_readable_in_light_and_dark(phone: OpenPhone, scheme: str) -> None:
    table = DemoTable("azul", ("Ann", "Bo", "Cléo"), seed=2)
    table.play(30)
    table.health = [HealthView("light", "warning", "camera.dark", {})]
    guest = phone(table, color_scheme=scheme)
    for route, part in (("", ".scores"), ("moves", ".moves"), ("scores", ".chart"), ("rules", ".rule-text"),
                        ("more", ".menu"), ("setup", ".card"), ("history", "h2")):
        guest.go(route)
        expect(guest.page.locator(part).first).to_be_visible()
        guest.axe()
        wide, room = guest.page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide <= room, route


def test_whoever_only_looks_is_asked_for_the_pin_and_then_it_happens(phone: OpenPhone) -> None:
    guest = phone(paired=False)
    guest.allowed = ["401"]
    guest.table.play(3)
    guest.go("moves")
    guest.page.locator(".moves button").nth(1).click()
    sheet = guest.page.locator("dialog.sheet")
    expect(sheet).to_be_visible()
    guest.axe()
    sheet.locator("input").fill("000000")
    sheet.locator("button.main").click()
    expect(sheet.locator(".trouble")).to_have_text(guest.said("error.pin"))
    sheet.locator("input").fill(PIN)
    sheet.locator("button.main").click()
    expect(sheet).to_have_count(0)
    expect(guest.page.locator(".moves li")).to_have_count(2)
    assert guest.table.commands == [("undo", {"entry": 3})]


def test_the_pin_of_the_qr_code_does_not_stay_in_the_address(phone: OpenPhone) -> None:
    guest = phone()
    expect(guest.page.locator(".scores")).to_be_visible()
    assert PIN not in guest.page.url
    guest.page.click(".top .icon-button")
    expect(guest.page.locator(".big-pin")).to_contain_text(PIN)
    guest.axe()


def test_the_first_load_is_light_in_a_real_browser(phone: OpenPhone, browser: Browser) -> None:
    """Bytes and requests as a phone counts them; that none of them leaves the host is looked at in every test."""
    guest = phone(DemoTable("azul", ("Ann", "Bo", "Cléo", "Dirk"), seed=3))
    page = browser.new_context(viewport={"width": 360, "height": 740}).new_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(guest.address)
    page.wait_for_selector(".piece")
    measure = "performance.getEntriesByType('resource').concat(performance.getEntriesByType('navigation'))" \
              ".reduce((sum, each) => sum + each.transferSize, 0)"
    sent = page.evaluate(measure)
    page.context.close()
    print(f"first load: {sent / 1000:.1f} kB in {len(asked)} requests")
    assert 10_000 < sent < 120_000
    assert len(asked) < 40


def test_two_phones_in_two_languages_see_the_same_and_one_answers(phone: OpenPhone) -> None:
    first = phone(language="nl")
    second = phone(first.table, language="fr", server=first.server)
    first.table.play(3)
    first.table.ask()
    expect(first.page.locator(".question h2")).to_have_text("Welke van deze was het?")
    expect(second.page.locator(".question h2")).to_have_text("Laquelle de ces réponses ?")
    second.page.locator(".answers button").first.click()
    expect(first.page.locator(".question")).to_have_count(0)


@pytest.mark.parametrize(
    ("language", "asked", "counting"),
    [
        ("en", "How many broken tiles does Ann have?", "Until somebody says, I count 2."),
        ("nl", "Hoeveel gebroken tegels heeft Ann?", "Tot iemand het zegt, tel ik er 2."),
        ("fr", "Combien de tuiles brisées a Ann ?", "Jusqu'à votre réponse, j'en compte 2."),
    ],
)
def test_how_many_lie_under_others_is_told_with_one_tap(
    phone: OpenPhone, language: str, asked: str, counting: str
) -> None:
    """Whoever cannot find the number, or taps the one beside it, has the round scored wrong."""
    guest = phone(DemoTable("azul-duel", ("Ann", "Bo"), seed=3), language=language)
    guest.table.play(5)
    question = guest.table.ask_height()
    panel = guest.page.locator(".panel.question")
    expect(panel.locator("h2")).to_have_text(asked)
    expect(panel.locator(".hint")).to_have_text(counting)
    numbers = panel.locator(".answers button")
    expect(numbers).to_have_text(["1", "2", "3", "4"])
    boxes = [box for box in map(lambda index: numbers.nth(index).bounding_box(), range(4)) if box is not None]
    assert len({box["y"] for box in boxes}) == 1, "the numbers stand in one row"
    assert all(box["width"] >= 44 and box["height"] >= 44 for box in boxes), "a thumb finds each of them"
    guest.axe()
    numbers.nth(2).click()
    expect(panel).to_have_count(0)
    assert guest.table.commands[-1] == ("answer", {"question": question.id, "answer": "n3"})


def test_a_phone_chooses_its_own_language_and_keeps_it(phone: OpenPhone) -> None:
    guest = phone(language="en")
    guest.go("more")
    guest.page.get_by_label("Français").check()
    expect(guest.page.locator("main h2").first).to_have_text("Plus")
    guest.page.reload()
    expect(guest.page.locator("main h2").first).to_have_text("Plus")
    assert guest.page.evaluate("document.documentElement.lang") == "fr"


def test_a_lost_line_is_told_and_the_page_comes_back_by_itself(phone: OpenPhone) -> None:
    guest = phone()
    guest.allowed = ["ERR_INTERNET_DISCONNECTED", "ERR_CONNECTION", "Failed to load", "ERR_INCOMPLETE"]
    guest.page.context.set_offline(True)
    expect(guest.page.locator(".banner.bad")).to_contain_text(guest.said("line.lost"))
    guest.table.play(4)
    guest.page.context.set_offline(False)
    expect(guest.page.locator(".banner.bad")).to_have_count(0)
    mover = guest.table.snapshot().moves[-1].player or 1
    expect(guest.page.locator(".last b")).to_have_text(["Ann", "Bo"][mover - 1])


def test_a_phone_that_slept_comes_back_to_the_present(phone: OpenPhone) -> None:
    guest = phone()
    hide = "on => { Object.defineProperty(document, 'hidden', {value: on, configurable: true}); " \
           "document.dispatchEvent(new Event('visibilitychange')); }"
    guest.page.evaluate(hide, True)
    guest.page.wait_for_timeout(300)
    guest.table.play(6)
    guest.page.wait_for_timeout(300)
    assert guest.page.locator(".last b").count() == 0, "a page that is hidden listens to nothing"
    guest.page.evaluate(hide, False)
    expect(guest.page.locator(".last b")).to_be_visible()
    expect(guest.page.locator(".flying")).to_have_count(0)


def test_a_lost_camera_is_told_with_what_to_do(phone: OpenPhone) -> None:
    guest = phone(language="nl")
    for camera in ("lost", "dark", "starting"):
        guest.table.camera = camera
        guest.table.publish()
        expect(guest.page.locator(".banner")).to_contain_text(guest.said(f"camera.{camera}-help"))
        guest.axe()
    guest.table.camera = "ok"
    guest.table.publish()
    expect(guest.page.locator(".banner")).to_have_count(0)


def test_tiles_fly_unless_motion_is_unwanted(phone: OpenPhone) -> None:
    watch = "() => { window.flown = 0; const sky = document.getElementById('sky'); new MutationObserver(list => list" \
            ".forEach(change => { window.flown += change.addedNodes.length; })).observe(sky, {childList: true}); }"
    flown = {}
    for motion in ("no-preference", "reduce"):
        guest = phone(DemoTable("azul", seed=3), reduced_motion=motion)
        guest.table.play(1)
        expect(guest.page.locator(".discs .tile").first).to_be_visible()
        guest.page.evaluate(watch)
        guest.table.step()
        expect(guest.page.locator(".last b")).to_be_visible()
        guest.page.wait_for_timeout(200)
        flown[motion] = guest.page.evaluate("window.flown")
        expect(guest.page.locator(".flying")).to_have_count(0)
        expect(guest.page.locator(".landing")).to_have_count(0)
    assert flown["no-preference"] > 0 and flown["reduce"] == 0


def test_nothing_pulses_in_a_game_that_goes_well(phone: OpenPhone) -> None:
    guest = phone()
    guest.table.play(5)
    expect(guest.page.locator(".last b")).to_be_visible()
    guest.page.wait_for_timeout(900)
    running = "document.getAnimations().filter(each => each.playState === 'running').length"
    assert guest.page.evaluate(running) == 0


def test_a_script_in_a_name_is_only_a_name(phone: OpenPhone) -> None:
    name = "<img src=x onerror=w()>"
    guest = phone(DemoTable("azul", (name, "</script>"), seed=3))
    guest.table.play(8)
    expect(guest.page.locator(".score .who").first).to_have_text(name)
    for route in ("moves", "scores", "setup", "more", ""):
        guest.go(route)
        guest.page.wait_for_timeout(100)
    assert guest.page.locator("img[src=x]").count() == 0


def test_rules_are_found_in_any_spelling(phone: OpenPhone) -> None:
    guest = phone(language="fr")
    guest.go("rules")
    expect(guest.page.locator(".rule-text").first).to_be_visible()
    count = guest.page.locator(".rule-text").count()
    guest.page.locator("input[type=search]").fill("tuile")
    expect(guest.page.locator("mark").first).to_be_visible()
    guest.page.locator("input[type=search]").fill("zzzz")
    expect(guest.page.locator(".rule-text")).to_have_count(0)
    guest.page.locator("input[type=search]").fill("")
    expect(guest.page.locator(".rule-text")).to_have_count(count)


def test_sound_and_vibration_are_off_until_asked_for(phone: OpenPhone) -> None:
    guest = phone()
    guest.go("more")
    for name in ("sound", "vibration", "labels"):
        expect(guest.page.get_by_label(guest.said(f"settings.{name}"), exact=True)).not_to_be_checked()
    guest.page.get_by_label(guest.said("settings.labels")).check()
    guest.go("")
    guest.table.play(2)
    expect(guest.page.locator(".tile text.label").first).to_be_visible()


def test_the_simulated_table_can_be_steered_from_the_page(phone: OpenPhone) -> None:
    guest = phone()
    guest.table.play(3)
    guest.page.locator(".steering summary").click()
    guest.page.get_by_role("button", name=guest.said("simulate.slip")).click()
    expect(guest.page.locator(".panel.slip")).to_be_visible()
    guest.table.source = "webcam"
    guest.table.put_right()
    expect(guest.page.locator(".steering")).to_have_count(0)


def test_a_remembered_table_is_ready_in_two_taps(phone: OpenPhone) -> None:
    table = DemoTable(None)
    table.tables = [{"name": "Keuken", "game": "azul", "options": {}, "players": [{"name": "Ann", "colour": "blue"},
                     {"name": "Bo", "colour": "red"}], "saved": 1}]
    guest = phone(table)
    guest.go("setup")
    guest.page.locator(".answers button").first.click()
    guest.page.locator("img.camera").wait_for()
    guest.page.click(".buttons.end .main")
    expect(guest.page.locator(".scores")).to_be_visible()
    assert [name for name, _ in table.commands] == ["setup-load", "setup-check", "new-game"]


@pytest.mark.parametrize("game", sorted(DemoTable(None).games))
def test_every_game_is_drawn_from_its_layout(phone: OpenPhone, game: str) -> None:
    """One routine draws any game: a new game folder needs no edit here."""
    table = DemoTable(None, seed=4)
    found = table.games[game]
    players = max(found.players)
    table.sit_down(game, [f"Player {n}" for n in range(1, players + 1)], {})
    table.play(16)
    guest = phone(table, (820, 1180))
    expect(guest.page.locator(".piece .tile").first).to_be_visible()
    drawn = set(guest.page.evaluate("[...document.querySelectorAll('[data-place]')].map(each => each.dataset.place)"))
    layout = table.query("layout", {})
    wanted = {place["name"] for piece in layout["pieces"] if not piece["secret"] for place in piece["places"]
              if place["kind"] != "counter"}
    assert drawn >= wanted
    guest.axe()
