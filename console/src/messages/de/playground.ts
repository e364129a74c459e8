import type { Translation } from '@parley/messages'
import type en from '../en/playground.ts'

export default {
  title: 'Playground',
  clear: {
    action: 'Verlauf löschen',
    consequence:
      'Alle Nachrichten im Playground werden gelöscht. Ihre Verbindungen bleiben erhalten. Das kann nicht rückgängig gemacht werden.',
    title: 'Verlauf löschen?',
  },
  lost: 'Die Verbindung wurde unterbrochen, bevor die Antwort vollständig war. Der Playground speichert keine unvollständigen Antworten. Senden Sie Ihre Nachricht erneut.',
  memory: {
    label: 'Frühere Nachrichten',
    note: 'Frühere Nachrichten ohne ihre Tool-Aufrufe',
  },
  messages: 'Nachrichten',
  notAllowed:
    'Ihre Rolle darf Verbindungen ansehen, aber nicht nutzen. Bitten Sie einen Administrator um die Berechtigung mcp:write.',
  placeholder: 'Aufgabe beschreiben',
  setup: {
    choose: 'Verbindungen auswählen',
    connect: 'Konto verbinden',
    connections: 'Verbindungen',
    defaultModel: 'Standardmodell',
    direct: 'Verbundene Tools nutzen',
    discovery: 'Server für eine Aufgabe finden',
    inactive:
      '{count, plural, one {Eine ausgewählte Verbindung ist nicht mehr aktiv und wird nicht verwendet.} other {# ausgewählte Verbindungen sind nicht mehr aktiv und werden nicht verwendet.}}',
    model: 'Modell',
    noActive: 'Keine aktiven Verbindungen',
    noMatches: 'Keine passenden Verbindungen',
    none: 'Keine Verbindungen',
  },
  turn: {
    connect: 'Verbinden',
    connectServer: '{name} verbinden',
    notSetUp: 'Bitten Sie die Systemadministration, diesen Server einzurichten.',
    recommended: 'Empfohlene Server',
    retry: 'Mit ausgewählten Verbindungen erneut versuchen',
    thinking: 'Denkt nach …',
    use: 'Verwenden',
    useServer: '{name} verwenden',
    you: 'Sie:',
  },
  welcome: {
    costs: 'Antworten kosten Credits. Der Verlauf wird nach 30 Minuten ohne Nachrichten gelöscht.',
    direct:
      'Beschreiben Sie eine Aufgabe. Das Modell erledigt sie mit den Tools der ausgewählten Verbindungen. Jeder Aufruf zeigt Eingabe und Ausgabe.',
    directExamples: {
      first: 'Was kannst du mit den verbundenen Tools tun?',
      second: 'Zeige mir, was sich seit gestern geändert hat',
    },
    discovery:
      'Beschreiben Sie eine Aufgabe. Das Modell findet Server, deren Tools sie erledigen können. Verbinden Sie einen davon, und senden Sie die Aufgabe erneut.',
    examples: 'Beispielaufgaben',
    findExamples: {
      first: 'Liste die offenen Vorgänge auf, die mir zugewiesen sind',
      second: 'Finde eine Seite im Wiki unseres Teams',
      third: 'Schreibe eine Nachricht in einen Kanal des Teams',
    },
    title: 'Was möchten Sie tun?',
  },
} satisfies Translation<typeof en>
