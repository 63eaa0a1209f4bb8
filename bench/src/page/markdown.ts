/**
 * A Markdown table in the form of this repository's formatter: each column is as wide as its widest
 * cell.
 */
export function markdownTable(
  heading: readonly string[],
  rows: readonly (readonly string[])[],
): string {
  const lines = [heading, ...rows];
  const widths = heading.map((_, column) =>
    Math.max(3, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  const cells = (line: readonly string[]) =>
    widths.map((size, column) => {
      const cell = line[column] ?? '';
      return column === 0 ? cell.padEnd(size) : cell.padStart(size);
    });
  const rule = widths.map((size, column) =>
    column === 0 ? '-'.repeat(size) : `${'-'.repeat(size - 1)}:`,
  );
  const [first = heading, ...others] = lines;
  return [joined(cells(first)), joined(rule), ...others.map((line) => joined(cells(line)))].join(
    '\n',
  );
}

function joined(cells: readonly string[]): string {
  return `| ${cells.join(' | ')} |`;
}

/**
 * The page with the measured part of this section replaced. Text outside the markers stays. @throws
 * Error when the page has no such section
 */
export function withSection(page: string, name: string, text: string): string {
  const begin = `<!-- measured: ${name} -->`;
  const end = `<!-- end of ${name} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from === -1 || to < from) throw new Error(`the page has no section ${name}`);
  return `${page.slice(0, from)}${begin}\n\n${text}\n\n${page.slice(to)}`;
}
