import { useSignal } from '@preact/signals';
import type { JSX } from 'preact';
import { useCall } from '../../api/use-call.ts';
import { Failed } from '../../parts/failed.tsx';
import { PeopleList } from './people-list.tsx';
import { PersonForm } from './person-form.tsx';
import { NOBODY, type PersonRow } from './person.ts';
import { UnknownPerson } from './unknown-person.tsx';

const PATH = '/simulator/people';
const NEW = 'new';

type Properties = { readonly rest: readonly string[] };

/** The invented people of the scope: all of them, or one to be changed. */
export function People({ rest: [first] }: Properties): JSX.Element {
  const { data, failure, again } = useCall<readonly PersonRow[]>(PATH);
  const saved = useSignal('');
  const people = data.value;
  if (people === null) return <Failed failure={failure.value} />;
  if (first === undefined) {
    return <PeopleList people={people} said={saved.value} again={again} />;
  }
  const person = first === NEW ? NOBODY : people.find(({ id }) => id === first);
  if (person === undefined) return <UnknownPerson />;
  const onSaved = async (sentence: string) => {
    await again();
    saved.value = sentence;
  };
  return <PersonForm key={first} person={person} isNew={first === NEW} onSaved={onSaved} />;
}
