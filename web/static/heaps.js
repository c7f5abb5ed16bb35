// Where loose tiles lie in the drawing: calm rows that stay where they are while others are taken.

// {blue: 2, red: 1} as a list, in the order of the game's colours.
export function unfold(content, colours) {
  if (!content || typeof content !== "object") return [];
  const order = Object.keys(colours || {});
  return Object.entries(content)
    .sort(([a], [b]) => order.indexOf(a) - order.indexOf(b))
    .flatMap(([colour, count]) => Array(Math.max(0, count)).fill(colour));
}

// A steady small turn for the tile at `index`, so that a heap looks laid and not printed.
export const lean = (index) => [-5, 4, 3, -4, 6, -3, 2, -6, 5][index % 9];

// Centres and size of `count` tiles in a box (or a circle) of `width` by `height`.
export function spread(count, width, height, size, round) {
  if (!count) return { size, at: [] };
  const [w, h] = round ? [width * 0.78, height * 0.78] : [width, height];
  const across = Math.ceil(Math.sqrt((count * w) / h));
  let best = null;
  for (let columns = Math.max(1, across - 2); columns <= across + 2; columns += 1) {
    const rows = Math.ceil(count / columns);
    const fit = Math.min(size, w / (columns * 1.12), h / (rows * 1.12));
    const spare = rows * columns - count;
    // Large tiles first; of equal size the fuller grid, and in a wide place rather a row than a column.
    const better = !best || fit > best.fit + 0.01 || (fit > best.fit - 0.01 && (spare < best.spare || (spare === best.spare && w > h)));
    if (better) best = { fit, columns, rows, spare };
  }
  const step = best.fit * 1.14;
  const at = Array.from({ length: count }, (_, index) => {
    const row = Math.floor(index / best.columns);
    const inRow = row === best.rows - 1 ? count - row * best.columns : best.columns;
    return [((index % best.columns) - (inRow - 1) / 2) * step, (row - (best.rows - 1) / 2) * step];
  });
  return { size: best.fit, at };
}
