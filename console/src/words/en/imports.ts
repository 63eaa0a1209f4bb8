export const imports = {
  button: 'Import an attempt',
  drop: 'Drop the file to import its attempt',
  notJson: 'The file is not JSON, or is larger than 1 MiB.',
  foreign:
    'The file is not an attempt that was exported: “Export” on an attempt’s page writes such a file.',
  place: 'The first fault is here: {place}',
  fault: 'The file was not imported: {message}',
};
