import type { JSX } from 'preact';
import { words } from '../../words/index.ts';
import { NEEDED } from './field-faults.ts';

/** What is wrong with a field: what it often is in the page's language, the rest as it was said. */
export function faultText(message: string | undefined): JSX.Element | null {
  if (message === undefined) return null;
  const { needed, format } = words.people.form;
  if (message === NEEDED || message.includes('fewer than 1 characters')) return <>{needed}</>;
  if (message.startsWith('must be like')) return <>{format}</>;
  return (
    <bdi lang="en" dir="ltr">
      {message}
    </bdi>
  );
}
