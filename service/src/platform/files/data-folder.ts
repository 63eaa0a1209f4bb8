import { makeDataFolder as makeFolder } from '@miftah/schema/data-folder';
import { faultWords } from '../../errors/fault-words.ts';

/** With the words of the service for what the system refuses. @throws Error that names the setting */
export function makeDataFolder(folder: string): void {
  makeFolder(folder, (error) => faultWords(error).what);
}
