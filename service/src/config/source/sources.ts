import { isName, type Name, type Values } from '../names.ts';

/** For each setting that is set, where it is from: `from the environment`. */
export type Sources = Partial<Record<Name, string>>;

/** Settings of one origin. */
export interface Layer {
  readonly values: Values;
  readonly sourceOf: (name: Name) => string;
}

/** The settings of all layers. A later layer has priority over an earlier one. */
export function mergeLayers(layers: readonly Layer[]): {
  readonly values: Values;
  readonly sources: Sources;
} {
  const values: Values = {};
  const sources: Sources = {};
  for (const layer of layers) {
    for (const name of Object.keys(layer.values).filter(isName)) {
      const value = layer.values[name];
      if (value === undefined) continue;
      values[name] = value;
      sources[name] = layer.sourceOf(name);
    }
  }
  return { values, sources };
}
