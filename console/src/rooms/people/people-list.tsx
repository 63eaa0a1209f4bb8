import type { PersonRow } from '@miftah/contract/control';
import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { call } from '../../api/call.ts';
import type { Action } from '../../api/use-action.ts';
import { ActionResult } from '../../parts/action-result.tsx';
import { SearchField } from '../../parts/search-field.tsx';
import { Title } from '../../parts/title.tsx';
import { linkTo } from '../../router.ts';
import { testIds } from '../../test-ids.ts';
import { words } from '../../words/index.ts';
import { FileButtons } from './file-buttons.tsx';
import { nameOf } from './name-of.ts';
import { PersonCard } from './person-card.tsx';
import { isCalled } from './person.ts';

type Properties = {
  readonly people: readonly PersonRow[];
  /** What was done last, here or in the form. */
  readonly action: Action;
  readonly again: () => Promise<void>;
};

/** Everybody, with a search, and what can be done with one and with all. */
export function PeopleList({ people, action, again }: Properties): JSX.Element {
  const text = words.people;
  const wanted = useSignal('');
  const found = people.filter((person) => isCalled(person, wanted.value));
  const remove = (person: PersonRow) =>
    action.run(async () => {
      await call('removePerson', { id: person.id });
      await again();
      return text.removed.replace('{name}', nameOf(person));
    });
  return (
    <>
      <Title>{text.title}</Title>
      <p class="lead">{text.lead}</p>
      <div class="actions">
        <a class="button primary" href={linkTo('people', 'new')} data-testid={testIds.addPerson}>
          {text.add}
        </a>
        <FileButtons people={people} action={action} again={again} />
      </div>
      <ActionResult action={action} />
      <SearchField label={text.search} wanted={wanted} />
      {found.length === 0 ? <p class="empty">{text.none}</p> : null}
      <ul class="cards">
        {found.map((person) => (
          <PersonCard key={person.id} person={person} onRemove={() => void remove(person)} />
        ))}
      </ul>
    </>
  );
}
