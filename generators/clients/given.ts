/** The data of an answer; an error has none. */
export function given<Data>(data: Data | undefined): Data {
  if (data === undefined) throw new Error('the call was refused');
  return data;
}
