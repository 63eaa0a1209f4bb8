/** Which file names which; every file that is named has an entry of its own. */
export type Graph = ReadonlyMap<string, readonly string[]>;

/** The circles met on a walk from every file: each a list of files that ends where it begins. */
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
