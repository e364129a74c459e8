export default {
  citation: 'Source {number, number}: {name}',
  code: 'Code',
  codeIn: '{language} code',
  copied: 'Copied',
  copy: 'Copy',
  copyFailed: 'Copy failed',
  image: 'Image',
  table: 'Table',
  taskDone: 'Done',
  taskOpen: 'Not done',
} as const
