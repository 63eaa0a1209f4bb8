import type { JSX } from 'preact';
import { useEffect } from 'preact/hooks';
import { useAction } from '../../api/use-action.ts';
import { useCall } from '../../api/use-call.ts';
import { Failed } from '../../parts/failed.tsx';
import { Title } from '../../parts/title.tsx';
import { words } from '../../words/index.ts';
import { PeopleList } from './people-list.tsx';
import { PersonForm } from './person-form.tsx';
import { NOBODY } from './person.ts';
import { UnknownPerson } from './unknown-person.tsx';

const NEW = 'new';

type Properties = { readonly rest: readonly string[] };

/** The invented people of the scope: all of them, or one to be changed. */
export function People({ rest: [first] }: Properties): JSX.Element | null {
  const { data, failure, again } = useCall('listPeople');
  const action = useAction();
  useEffect(() => {
    // What was done before somebody has opened a form is no news after it.
    if (first !== undefined) action.clear();
  }, [first]);
  const people = data.value;
  if (people === null) {
    return failure.value === null ? null : (
      <>
        <Title>{words.people.title}</Title>
        <Failed failure={failure.value} />
      </>
    );
  }
  if (first === undefined) {
    return <PeopleList people={people} action={action} again={again} />;
  }
  const person = first === NEW ? NOBODY : people.find(({ id }) => id === first);
  if (person === undefined) return <UnknownPerson />;
  const onSaved = async (sentence: string) => {
    await again();
    action.said.value = sentence;
  };
  return <PersonForm key={first} person={person} isNew={first === NEW} onSaved={onSaved} />;
}
