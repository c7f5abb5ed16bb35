// Puts words to keys: the page's own texts and the game's, in the language of this phone.
const TRANSLATED = {
  colour: "colours", colours: "colours", place: "places", places: "places", from: "places", to: "places",
  source: "places", sources: "places", player: "players", other: "players",
};
const PLACEHOLDER = /\{([a-z_]+)(?::([a-z_]+))?\}/g;

const patterns = new Map();

function placePattern(pattern) {
  if (!patterns.has(pattern)) {
    const names = [];
    const parts = pattern.split(PLACEHOLDER);
    let expression = escape(parts[0]);
    for (let at = 1; at < parts.length; at += 3) {
      names.push(parts[at]);
      expression += "([A-Z]?[0-9]+)" + escape(parts[at + 2]);
    }
    patterns.set(pattern, { names, expression: new RegExp(`^${expression}$`) });
  }
  return patterns.get(pattern);
}

const escape = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");

export class Words {
  constructor(data, game, names = []) {
    this.language = data.language;
    this.page = data.page;
    this.games = data.games;
    this.game = game;
    this.names = names;
    this.plural = new Intl.PluralRules(data.language);
    this.placeKeys = new Map();
  }

  // The same words for another game and its players, as for a look at a past one.
  of(game, names) { return new Words(this, game, names); }

  texts(game) { return (game && this.games[game]) || {}; }

  // A key of the game in play, or of the page; what is known under neither is shown as plain words.
  say(key, params = {}, game = this.game) {
    const text = this.find(key, game);
    return text === undefined ? key.split(".").pop().replaceAll("-", " ") : this.fill(text, params, key, game);
  }

  has(key, game = this.game) { return this.find(key, game) !== undefined; }

  find(key, game) {
    const own = this.texts(game)[key];
    return own === undefined ? this.page[key] : own;
  }

  colour(name) { return name === "joker" && !this.has("colours.joker") ? "joker" : this.say(`colours.${name}`); }

  name(player) { return this.names[player - 1] || this.say("player.number", { number: player }); }

  place(name, game = this.game) {
    if (!this.placeKeys.has(game)) this.placeKeys.set(game, Object.keys(this.texts(game)).filter((key) => key.startsWith("places.")));
    for (const key of this.placeKeys.get(game)) {
      const { names, expression } = placePattern(key.slice(7));
      const found = expression.exec(name);
      if (found) {
        const params = Object.fromEntries(names.map((each, index) => [each, found[index + 1]]));
        return this.fill(this.texts(game)[key], params, key, game);
      }
    }
    return name;
  }

  // A board, disc or area: by its owner, by the game's word for it, or by a plain one of the page.
  piece(name, game = this.game, names = this.names) {
    const [, owner, rest] = /^p(\d+)(?:\.(.+))?$/.exec(name) || [];
    const who = owner && (names[owner - 1] || this.say("player.number", { number: owner }));
    if (owner && !rest) return this.say("table.board-of", { name: who });
    if (owner) return `${who}: ${this.say(`piece.${rest}`)}`;
    const known = this.place(name, game);
    return this.capital(known === name ? this.say(`piece.${name}`) : known);
  }

  capital(text) { return text.charAt(0).toLocaleUpperCase(this.language) + text.slice(1); }

  // A sentence with a capital, as it stands alone on the page.
  sentence(key, params) {
    return this.capital(this.say(key, params));
  }

  number(value) { return new Intl.NumberFormat(this.language).format(value); }

  signed(value) { return value > 0 ? `+${value}` : value < 0 ? `−${-value}` : "0"; }

  date(seconds) {
    return new Intl.DateTimeFormat(this.language, { dateStyle: "medium", timeStyle: "short" }).format(seconds * 1000);
  }

  form(text, params, key) {
    if (typeof text === "string") return text;
    if (typeof params.count !== "number") return text[key.startsWith("colours.") ? "one" : "other"];
    return this.plural.select(Math.abs(params.count)) === "one" ? text.one : text.other;
  }

  fill(text, params, key, game) {
    return this.form(text, params, key).replace(PLACEHOLDER, (whole, name, asked) => {
      if (!(name in params)) return whole;
      const section = asked || TRANSLATED[name];
      const values = Array.isArray(params[name]) ? params[name] : [params[name]];
      return values.map((value) => this.word(section, value, params, game)).join(", ");
    });
  }

  word(section, value, params, game) {
    if (value === null || value === undefined) return "";
    if (!section) return String(value);
    if (section === "players") return this.name(Number(value));
    if (section === "places") return this.place(String(value), game);
    const text = this.texts(game)[`${section}.${value}`];
    return text === undefined ? String(value) : this.form(text, params, `${section}.${value}`);
  }
}
