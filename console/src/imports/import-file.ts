import { signal } from '@preact/signals';
import { h, type ComponentChildren } from 'preact';
import { call } from '../api/call.ts';
import { ControlError } from '@miftah/contract/control-client';
import { fill } from '../parts/fill.ts';
import { Outside } from '../parts/outside.tsx';
import { failureText } from '../parts/failure-text.tsx';
import { readJsonFile } from '../platform/file.ts';
import { linkTo } from '../router.ts';
import { addAttempt } from '../state/attempts.ts';
import { words } from '../words/index.ts';

/** Why the last file was not taken; null when it was. */
export const importFault = signal<ComponentChildren>(null);

/** Sends a file to the simulator, and goes to the attempt that comes of it. */
export async function importFile(file: File): Promise<void> {
  importFault.value = null;
  const read = await readJsonFile(file);
  if (read === null) return void (importFault.value = words.imports.notJson);
  try {
    // The text as it is: parsed and written again it would have lost members that stand twice.
    const row = await call('importAttempt', { body: read.text });
    addAttempt(row);
    location.hash = linkTo('attempts', row.id);
  } catch (error) {
    importFault.value = faultOf(error);
  }
}

function faultOf(error: unknown): ComponentChildren {
  if (!(error instanceof ControlError)) throw error;
  const isForeign = /^(?:validation\.failed|request\.malformed_json)$/.test(error.code ?? '');
  return isForeign ? foreign(error) : failureText(error);
}

/** With the first place that is wrong, where the simulator names one. */
function foreign({ violations }: ControlError): ComponentChildren {
  const pointer = violations[0]?.pointer ?? '';
  const text = words.imports.foreign;
  if (pointer === '') return text;
  const place = h(Outside, { text: pointer, ltr: true });
  return [text, ' ', ...fill(words.imports.place, { place })];
}
