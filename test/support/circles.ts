/** The files that each file imports. Every imported file has an entry of its own. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** All import circles: each is a list of files that ends with its first file. */
export function findCircles(graph: Graph): string[][] {
  const circles: string[][] = [];
  const done = new Set<string>();
  const walk = (path: string, trail: readonly string[]): void => {
    const start = trail.indexOf(path);
    if (start >= 0) {
      circles.push([...trail.slice(start), path]);
      return;
    }
    if (done.has(path)) return;
    for (const next of graph.get(path) ?? []) walk(next, [...trail, path]);
    done.add(path);
  };
  for (const path of graph.keys()) walk(path, []);
  return circles;
}
