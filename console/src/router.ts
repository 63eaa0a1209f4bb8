import { computed, signal } from '@preact/signals';

const hash = signal(location.hash);
addEventListener('hashchange', () => (hash.value = location.hash));

/** The parts of the address behind `#/`, decoded: `#/attempts/ID` is `['attempts', 'ID']`. */
export const route = computed<readonly string[]>(() =>
  hash.value
    .replace(/^#?\/?/, '')
    .split('/')
    .filter((part) => part !== '')
    .map(decoded),
);

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The address of a room, or of something in it. */
export function linkTo(...parts: readonly string[]): string {
  return `#/${parts.map(encodeURIComponent).join('/')}`;
}
