import type { JSX } from 'preact';
import { page } from '../../page.ts';
import { words } from '../../words/index.ts';

/** Addresses of this origin that explain it. The documents are in English. */
const DOCUMENTS = [['/simulator/openapi.json', 'openapi', 'openapiText']] as const;

/** Only beside the service. */
const OF_THE_SERVICE = [
  ['/docs', 'docs', 'docsText'],
  ['/openapi.json', 'attempts', 'attemptsText'],
  [`/errors?locale=${page.locale}`, 'errors', 'errorsText'],
] as const;

export function Links(): JSX.Element {
  const { reference } = words;
  const documents = page.isBesideService ? [...DOCUMENTS, ...OF_THE_SERVICE] : DOCUMENTS;
  return (
    <section>
      <h2>{reference.links}</h2>
      <div class="links">
        {documents.map(([address, name, text]) => (
          <a key={address} href={address}>
            <strong>{reference[name]}</strong>
            <span>{reference[text]}</span>
          </a>
        ))}
        <a href={page.phone}>
          <strong>{reference.phone}</strong>
          <span>{reference.phoneText}</span>
        </a>
      </div>
    </section>
  );
}
