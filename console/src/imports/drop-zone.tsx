import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { testIds } from '../test-ids.ts';
import { words } from '../words/index.ts';
import { fill } from '../parts/fill.ts';
import { importFault, importFile } from './import-file.ts';

/** The whole window takes files, and shows it while one is held over it. */
export function DropZone(): JSX.Element {
  const isOver = useSignal(false);
  useEffect(() => {
    const over = (event: DragEvent) => {
      if (!hasFile(event)) return;
      event.preventDefault();
      isOver.value = true;
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) isOver.value = false;
    };
    const drop = (event: DragEvent) => {
      isOver.value = false;
      const file = event.dataTransfer?.files[0];
      if (file === undefined) return;
      event.preventDefault();
      void importFile(file);
    };
    addEventListener('dragover', over);
    addEventListener('dragleave', leave);
    addEventListener('drop', drop);
    return () => {
      removeEventListener('dragover', over);
      removeEventListener('dragleave', leave);
      removeEventListener('drop', drop);
    };
  }, []);
  const fault = importFault.value;
  return (
    <>
      {isOver.value ? <p class="drop">{words.imports.drop}</p> : null}
      {fault === null ? null : (
        <p class="notice" role="alert" data-testid={testIds.importFault}>
          {fill(words.imports.fault, { message: fault })}
        </p>
      )}
    </>
  );
}

function hasFile({ dataTransfer }: DragEvent): boolean {
  return dataTransfer?.types.includes('Files') ?? false;
}
