import type { Translation } from '@parley/messages'
import type en from '../en/conversations.ts'

export default {
  title: 'Unterhaltungen',
  ask: {
    addModel: 'Fügen Sie zuerst ein Modell hinzu',
    ask: 'Modelle fragen',
    label: 'Ihre Frage',
    placeholder: 'Alle Modelle fragen',
    stop: 'Stoppen',
  },
  conversation: 'Unterhaltung',
  create: {
    action: 'Unterhaltung starten',
    choose: 'Modelle auswählen',
    hint: 'Sie können später weitere Modelle hinzufügen.',
    models: 'Modelle',
    name: 'Titel',
    title: 'Neue Unterhaltung',
  },
  list: {
    actions: 'Aktionen',
    active: 'Aktiv',
    archived: 'Archiviert',
    created: 'Erstellt',
    empty: 'Noch keine Unterhaltungen',
    emptyArchive: 'Keine archivierten Unterhaltungen',
    emptyArchiveHint: 'Um eine Unterhaltung aus der Liste zu nehmen, wählen Sie in ihrem Menü „Archivieren“.',
    emptyHint:
      'Wählen Sie mindestens zwei Modelle und stellen Sie eine Frage. Die Antworten erscheinen nebeneinander, damit Sie das passende Modell finden.',
    filter: 'Unterhaltungen filtern',
    name: 'Titel',
    purpose:
      'Stellen Sie mehreren Modellen dieselbe Frage und vergleichen Sie die Antworten nebeneinander. Jedes Modell sieht die früheren Antworten aller Modelle.',
  },
  loading: 'Wird geladen',
  menu: {
    archive: 'Archivieren',
    archived: 'Unterhaltung archiviert',
    delete: 'Löschen',
    deleted: 'Unterhaltung gelöscht',
    label: 'Aktionen für {title}',
    rename: 'Umbenennen',
    unarchive: 'Aus Archiv holen',
    unarchived: 'Unterhaltung aus Archiv geholt',
  },
  models: {
    add: 'Modell hinzufügen',
    deleted: 'Gelöschtes Modell',
    exclude: 'Von der nächsten Frage ausschließen',
    include: 'In die nächste Frage einbeziehen',
    label: 'Modelle für die nächste Frage',
    none: 'Keine weiteren Modelle',
  },
  refused: '{models}: {reason}',
  rename: {
    action: 'Unterhaltung umbenennen',
    name: 'Titel',
    title: 'Unterhaltung umbenennen',
  },
  turns: {
    addModels: 'Fügen Sie unten ein Modell hinzu oder mehrere, um sie zu vergleichen.',
    askBelow:
      'Stellen Sie unten eine Frage. Alle Modelle antworten gleichzeitig und sehen frühere Fragen und Antworten.',
    copy: 'Antwort von {name} kopieren',
    empty: 'Noch keine Fragen',
    label: 'Frage: {question}',
    reply: 'Antwort von {name}',
    responding: 'Antwortet',
    stopped: 'Gestoppt',
    thinking: 'Denkt nach …',
    tokens: '{count, plural, one {# Token} other {# Token}}',
    waiting: 'Wartet',
  },
} satisfies Translation<typeof en>
