import type { Translation } from '@parley/messages'
import type en from './en.ts'

export default {
  open: 'Mit {name} chatten',
  conversation: 'Unterhaltung',
  welcome: 'Guten Tag, wie kann ich Ihnen helfen?',
  starters: 'Vorgeschlagene Fragen',
  starterAbilities: 'Wobei können Sie mir helfen?',
  starterStart: 'Wie fange ich an?',
  message: 'Nachricht',
  placeholder: 'Nachricht schreiben',
  send: 'Nachricht senden',
  stop: 'Antwort stoppen',
  newConversation: 'Neue Unterhaltung',
  close: 'Chat schließen',
  retry: 'Erneut versuchen',
  copy: 'Kopieren',
  copied: 'Kopiert',
  you: 'Sie',
  writing: 'Antwort wird geschrieben',
  reasoning: 'Überlegungen',
  stopped: 'Gestoppt',
  noText: 'Diese Antwort enthält keinen Text.',
  charactersLeft: '{count, plural, one {Noch # Zeichen} other {Noch # Zeichen}}',

  connecting: 'Verbindung wird hergestellt …',
  lost: 'Verbindung unterbrochen. Sie wird wiederhergestellt …',
  offline: 'Sie sind offline. Der Chat geht weiter, sobald Sie wieder online sind.',
  unreachable: 'Der Chat ist derzeit nicht erreichbar.',
  closed: 'Dieser Chat ist derzeit geschlossen.',
  unknown: 'Diesen Chat gibt es nicht mehr.',
  replyFailed: 'Die Antwort konnte nicht abgeschlossen werden.',
  replyUnfollowed: 'Die Verbindung wurde unterbrochen, bevor die Antwort vollständig war.',
  notSent: 'Ihre Nachricht wurde nicht gesendet.',
  refused: 'Ihre Nachricht wurde nicht angenommen.',
  noCredits: 'Dieser Chat kann derzeit nicht antworten.',
  busy: 'Eine Antwort wird noch geschrieben. Senden Sie Ihre Nachricht, wenn die Antwort vollständig ist.',
  conversationGone: 'Diese Unterhaltung ist beendet. Mit Ihrer Nachricht beginnt eine neue.',
  tooMany: 'Sie haben zu viele Nachrichten gesendet. Versuchen Sie es später erneut.',
  tooManyForSeconds:
    'Sie haben zu viele Nachrichten gesendet. Versuchen Sie es in {count, plural, one {# Sekunde} other {# Sekunden}} erneut.',
  tooManyForMinutes:
    'Sie haben zu viele Nachrichten gesendet. Versuchen Sie es in {count, plural, one {# Minute} other {# Minuten}} erneut.',

  closedTitle: 'Chat geschlossen',
  unknownTitle: 'Chat nicht gefunden',
  noScript: 'Für diesen Chat wird JavaScript benötigt.',
} satisfies Translation<typeof en>
