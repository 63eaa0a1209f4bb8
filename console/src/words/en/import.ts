export const imports = {
  button: 'Import an attempt',
  drop: 'Drop the file to import its attempt',
  notJson: 'The file is not JSON, or is larger than 1 MiB.',
  fault: 'The file was not imported: {message}',
};
