import { SETTINGS } from './settings.ts';

/** The name of a setting, as it is in the environment. */
export type Name = keyof typeof SETTINGS;

/** Settings as they are written. One that is not set is not there. */
export type Values = Partial<Record<Name, string>>;

/** Reads one setting; `otherwise` where it is not set or can't be used. */
export type Read = <T>(name: Name, otherwise: T, parse: (text: string) => T) => T;

export const isName = (name: string): name is Name => Object.hasOwn(SETTINGS, name);

/** The names of all settings. */
export const NAMES: readonly string[] = Object.keys(SETTINGS);
