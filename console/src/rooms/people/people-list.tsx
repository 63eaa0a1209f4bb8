import type { PersonRow } from '@miftah/contract/control';
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
import type { SomePeople } from './use-people.ts';

type Properties = {
  /** Those who are shown. */
  readonly people: readonly PersonRow[];
  readonly some: SomePeople;
  /** What was done last, here or in the form. */
  readonly action: Action;
};

/** People, with a search, and what can be done with one and with all. */
export function PeopleList({ people, some, action }: Properties): JSX.Element {
  const text = words.people;
  const { again, wanted, showMore, isCut } = some;
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
        <FileButtons action={action} again={again} />
      </div>
      <ActionResult action={action} />
      <SearchField label={text.search} wanted={wanted} />
      {people.length === 0 ? <p class="empty">{text.none}</p> : null}
      <ul class="cards">
        {people.map((person) => (
          <PersonCard key={person.id} person={person} onRemove={() => void remove(person)} />
        ))}
      </ul>
      {showMore === null ? null : (
        <button class="secondary" type="button" data-testid={testIds.morePeople} onClick={showMore}>
          {text.more}
        </button>
      )}
      {isCut ? <p class="hint">{text.cut}</p> : null}
    </>
  );
}
