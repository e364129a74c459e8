import type { Translation } from '@parley/messages'
import type en from '../en/apiKeys.ts'

export default {
  title: 'API-Schlüssel',
  search: 'API-Schlüssel suchen',
  description: 'Mit einem API-Schlüssel kann ein Programm die API dieser Organisation in Ihrem Namen nutzen.',
  create: 'API-Schlüssel erstellen',
  empty: 'Noch keine API-Schlüssel',
  emptyHint:
    'Erstellen Sie für jedes Programm einen eigenen Schlüssel, nur mit den Berechtigungen, die das Programm braucht. Dann können Sie einen Schlüssel löschen, ohne andere Programme zu beeinträchtigen.',
  key: 'Schlüssel',
  member: 'Mitglied',
  unknownMember: 'Unbekanntes Mitglied',
  permissions: 'Berechtigungen',
  lastUsed: 'Zuletzt verwendet',
  neverUsed: 'Nie',
  actions: 'Aktionen',
  expired: 'Abgelaufen',
  expires: 'Läuft am {date} ab',
  delete: '{name} löschen',
  deleteTitle: '„{name}“ löschen?',
  deleteConsequence:
    'Programme mit diesem Schlüssel verlieren sofort den Zugriff. Das kann nicht rückgängig gemacht werden.',
  deleteAction: 'API-Schlüssel löschen',
  deleted: 'API-Schlüssel {name} gelöscht',
  form: {
    title: 'API-Schlüssel erstellen',
    name: 'Name',
    nameHint: 'Das Programm, das den Schlüssel verwendet',
    nameExample: 'Nächtlicher Bericht',
    expiration: 'Ablauf',
    days: '{count, plural, one {# Tag} other {# Tage}}',
    year: '1 Jahr',
    never: 'Nie',
    permissions: 'Berechtigungen',
    permissionsHint: 'Ein Schlüssel hat nie mehr Berechtigungen als Sie.',
    same: 'Alle meine Berechtigungen',
    selected: 'Ausgewählte Berechtigungen',
    create: 'Schlüssel erstellen',
  },
  created: {
    title: 'API-Schlüssel {name}',
    usage: 'Senden Sie den Schlüssel mit jeder Anfrage:',
    example: 'Beispielanfrage',
    done: 'Fertig',
  },
} satisfies Translation<typeof en>
