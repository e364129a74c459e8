import type { Translation } from '@parley/messages'
import type en from '../en/fields.ts'

export default {
  label: {
    amount: 'Betrag',
    api_key: 'API-Schlüssel',
    base_url: 'Basis-URL',
    config: 'Konfiguration',
    content: 'Inhalt',
    current_password: 'Aktuelles Passwort',
    description: 'Beschreibung',
    email: 'E-Mail-Adresse',
    first_name: 'Vorname',
    last_name: 'Nachname',
    message: 'Nachricht',
    name: 'Name',
    new_password: 'Neues Passwort',
    password: 'Passwort',
    query: 'Suche',
    system_prompt: 'System-Prompt',
    text: 'Text',
    title: 'Titel',
    url: 'URL',
    version: 'Version',
  },
  refused: '{field} ({problem})',
  wrongLink:
    'Dieser Link führt hier zu keinem Ziel. Prüfen Sie die Adresse, oder wählen Sie eine Seite im Menü.',
} satisfies Translation<typeof en>
