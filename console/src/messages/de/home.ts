import type { Translation } from '@parley/messages'
import type en from '../en/home.ts'

export default {
  ask: {
    label: 'Stellen Sie eine Frage',
    keys: 'Enter zum Senden, Umschalt+Enter für eine neue Zeile',
    send: 'Senden',
  },
  chats: {
    title: 'Letzte Chats',
    all: 'Alle anzeigen: Chats',
    empty: 'Noch keine Chats. Nur Sie können Ihre Chats sehen.',
  },
  agents: { title: 'Agenten', all: 'Alle anzeigen: Agenten', off: 'Inaktiv' },
  greeting: 'Hallo, {name}',
  knowledge: {
    title: 'Wissensdatenbanken',
    all: 'Alle anzeigen: Wissensdatenbanken',
    documents: '{count, plural, one {# Dokument} other {# Dokumente}}',
  },
  loading: 'Wird geladen',
  samples: {
    add: 'Beispiel hinzufügen',
    added: { document: 'Beispiel-Wissensdatenbank hinzugefügt', agent: 'Beispiel-Agent hinzugefügt' },
    remove: 'Beispiel entfernen',
    removed: { document: 'Beispiel-Wissensdatenbank entfernt', agent: 'Beispiel-Agent entfernt' },
  },
  setup: {
    title: 'Sprachmodell verbinden',
    hint: 'Wählen Sie einen Anbieter, und fügen Sie Ihren API-Schlüssel ein. Parley findet die Modelle.',
    providers: 'Anbieter',
    compatible: 'Anderer Server',
    start: 'Chat beginnen',
    demo: 'Demo ausprobieren',
    demoHint: 'Die Demo zeigt nur, wie Parley funktioniert.',
  },
  spending: {
    title: 'Credits',
    all: 'Alle anzeigen: Nutzung',
    available: '<amount>{credits}</amount> <note>verfügbar</note>',
    low: '<amount>{credits}</amount> <note>verfügbar, bald aufgebraucht</note>',
    none: '<amount>{credits}</amount> <note>verfügbar. Modelle antworten erst wieder, wenn Credits hinzugefügt wurden.</note>',
    unused: 'Keine Nutzung {days, plural, one {am letzten Tag} other {in den letzten # Tagen}}',
    used: '{credits} {days, plural, one {am letzten Tag} other {in den letzten # Tagen}} verbraucht, für {replies, plural, one {# Antwort} other {# Antworten}}.',
  },
  steps: {
    title: 'Erste Schritte',
    progress: '{done, number} von {total, number} erledigt',
    hide: 'Schritte ausblenden',
    done: 'Erledigt',
    doneMark: '(erledigt)',
    model: {
      title: 'Sprachmodell hinzufügen',
      reason:
        'Bis Sie ein Modell hinzufügen, antwortet die integrierte Demo. Sie zeigt nur, wie Parley funktioniert.',
    },
    chat: { title: 'Chat starten', reason: 'Probieren Sie aus, was ein Modell kann.' },
    document: {
      title: 'Dokument hinzufügen',
      reason: 'Antworten können das Dokument dann verwenden und zitieren.',
    },
    agent: {
      title: 'Agent erstellen',
      reason: 'Ein Agent ist ein Modell mit Anweisungen, Wissen und Tools.',
    },
  },
  viewAll: 'Alle anzeigen',
} satisfies Translation<typeof en>
