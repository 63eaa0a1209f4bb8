const GAP = '  ';

/** A text table: the first column aligned left, the others right, with a line below the heading. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const lines = [heading, ...rows];
  const widths = heading.map((_, column) => Math.max(...lines.map((line) => width(line, column))));
  const [first = '', ...others] = lines.map((line) => aligned(line, widths));
  return [first, '-'.repeat(first.length), ...others].join('\n');
}

function aligned(line: readonly string[], widths: readonly number[]): string {
  const cells = widths.map((size, column) => {
    const cell = line[column] ?? '';
    return column === 0 ? cell.padEnd(size) : cell.padStart(size);
  });
  return cells.join(GAP);
}

function width(line: readonly string[], column: number): number {
  return line[column]?.length ?? 0;
}
