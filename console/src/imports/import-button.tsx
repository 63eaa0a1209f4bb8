import type { JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { testIds } from '../test-ids.ts';
import { words } from '../words/index.ts';
import { importFile } from './import-file.ts';

/** Takes a file with an attempt that was exported here or elsewhere. */
export function ImportButton(): JSX.Element {
  const field = useRef<HTMLInputElement>(null);
  const take = () => {
    const file = field.current?.files?.[0];
    if (file !== undefined) void importFile(file);
    // The same file can be taken again.
    if (field.current !== null) field.current.value = '';
  };
  return (
    <div class="import">
      <input
        ref={field}
        type="file"
        accept="application/json,.json"
        hidden
        data-testid={testIds.importFile}
        onChange={take}
      />
      <button class="secondary" type="button" onClick={() => field.current?.click()}>
        {words.imports.button}
      </button>
    </div>
  );
}
