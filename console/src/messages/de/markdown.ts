import type en from '../en/markdown.ts'
import type { Translation } from '../translation.ts'

export default {
  citation: 'Quelle {number, number}: {name}',
  code: 'Code',
  codeIn: '{language}-Code',
  copied: 'Kopiert',
  copy: 'Kopieren',
  copyFailed: 'Kopieren fehlgeschlagen',
  image: 'Bild',
  table: 'Tabelle',
  taskDone: 'Erledigt',
  taskOpen: 'Offen',
} satisfies Translation<typeof en>
