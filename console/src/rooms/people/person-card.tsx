import type { PersonRow } from '@miftah/contract/control';
import type { JSX } from 'preact';
import { page } from '../../page.ts';
import { AskFirst } from '../../parts/ask-first.tsx';
import { Code } from '../../parts/code.tsx';
import { named } from '../../parts/named.ts';
import { linkTo } from '../../router.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { nameOf } from './name-of.ts';
import { DOCUMENTS } from './person.ts';

type Properties = { readonly person: PersonRow; readonly onRemove: () => void };

/** One person in the list. */
export function PersonCard({ person, onRemove }: Properties): JSX.Element {
  const text = words.people;
  const { id, national_id: number, about } = person;
  const document = DOCUMENTS.find((one) => one === person.document_type);
  return (
    <li class="card" data-testid={testIds.person(id)}>
      <Names person={person} />
      <p class="hint">
        {document === undefined ? null : text.documents[document]} <Code text={number} />{' '}
        <Code text={id} />
      </p>
      <p class="hint">
        <About text={noteOf(about)} />
      </p>
      <Changes person={person} onRemove={onRemove} />
    </li>
  );
}

/** The note of a generated person has two halves, which are known by themselves. */
function noteOf(about: string): string {
  const { notes, halves } = words.people;
  const whole = named(notes, about);
  if (whole !== about) return whole;
  const each = about.split('; ').map((half) => named(halves, half));
  return each.join(page.locale === 'ar' ? '؛ ' : '; ');
}

/** A note is in one language, which its letters tell. */
function About({ text }: { readonly text: string }): JSX.Element {
  const isArabic = /\p{Script=Arabic}/u.test(text);
  return (
    <bdi lang={isArabic ? 'ar' : 'en'} dir={isArabic ? 'rtl' : 'ltr'}>
      {text}
    </bdi>
  );
}

/** First in the language of the page. */
function Names({ person }: Pick<Properties, 'person'>): JSX.Element {
  const isArabic = page.locale === 'ar';
  return (
    <>
      <h2>
        <bdi lang={page.locale}>{nameOf(person)}</bdi>{' '}
        {person.default ? <span class="badge">{words.people.byDefault}</span> : null}
      </h2>
      <p>
        <bdi lang={isArabic ? 'en' : 'ar'} dir={isArabic ? 'ltr' : 'rtl'}>
          {isArabic ? person.english_name.full : person.arabic_name.full}
        </bdi>
      </p>
    </>
  );
}

function Changes({ person, onRemove }: Properties): JSX.Element {
  const text = words.people;
  const { id } = person;
  const withName = (sentence: string) => sentence.replace('{name}', nameOf(person));
  return (
    <div class="actions">
      <a
        class="button secondary small"
        href={linkTo('people', id)}
        aria-label={withName(text.changeName)}
        data-testid={testIds.changePerson(id)}
      >
        {text.change}
      </a>
      {person.default ? (
        <span class="hint">{text.isDefault}</span>
      ) : (
        <AskFirst
          label={text.remove}
          name={withName(text.removeName)}
          title={withName(text.sure)}
          text={text.sureText}
          testId={testIds.removePerson(id)}
          onYes={onRemove}
        />
      )}
    </div>
  );
}
