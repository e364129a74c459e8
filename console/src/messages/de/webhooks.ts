import type { Translation } from '@parley/messages'
import type en from '../en/webhooks.ts'

export default {
  title: 'Webhooks',
  description:
    'Ein Webhook sendet signierte HTTP-Anfragen an Ihren Server, wenn in dieser Organisation ein Ereignis eintritt.',
  add: 'Webhook hinzufügen',
  empty: 'Noch keine Webhooks',
  emptyHint:
    'Benachrichtigen Sie Ihren Server, wenn eine Unterhaltung eine neue Antwort hat, eine Wissensdatenbank indexiert ist oder die Credits zur Neige gehen.',
  failingSince: 'Keine erfolgreiche Zustellung seit {time}',
  state: {
    enabled: 'Aktiv',
    failing: 'Fehlerhaft',
    disabled: 'Deaktiviert',
  },
  page: {
    title: 'Webhook',
    events: 'Ereignisse: {events}',
    notFound: 'Webhook nicht gefunden',
    notFoundHint: 'Der Webhook wurde gelöscht, oder er gehört zu einer anderen Organisation.',
    disabled:
      '{reason} Bis Sie den Webhook aktivieren, werden keine Ereignisse gesendet. Ereignisse bis dahin werden nicht nachgeholt.',
    disabledByMember:
      'Ein Mitglied hat diesen Webhook deaktiviert. Bis Sie den Webhook aktivieren, werden keine Ereignisse gesendet. Ereignisse bis dahin werden nicht nachgeholt.',
    failing:
      'Seit {time} war keine Zustellung erfolgreich. Nach fünf Tagen ohne erfolgreiche Zustellung wird der Webhook automatisch deaktiviert.',
  },
  actions: {
    test: 'Testereignis senden',
    testPending: 'Das Testereignis wartet auf frühere Zustellungen',
    testDelivered: 'Testereignis zugestellt: HTTP {status} nach {ms, number} ms',
    testFailed: 'Testereignis fehlgeschlagen: {error}',
    testRejected: 'Testereignis fehlgeschlagen: HTTP {status}',
    more: 'Weitere Aktionen',
    edit: 'Bearbeiten',
    enable: 'Aktivieren',
    enabled: 'Webhook aktiviert',
    disable: 'Deaktivieren',
    disabled: 'Webhook deaktiviert',
    disableTitle: 'Diesen Webhook deaktivieren?',
    disableConsequence:
      'Ausstehende Zustellungen gelten als fehlgeschlagen. Sie können den Webhook jederzeit wieder aktivieren.',
    rotate: 'Geheimnis erneuern',
    rotateTitle: 'Signaturgeheimnis erneuern?',
    rotateConsequence:
      '24 Stunden lang werden Anfragen mit dem neuen und dem aktuellen Geheimnis signiert. Ältere Geheimnisse verlieren sofort ihre Gültigkeit.',
    rotated: 'Das bisherige Geheimnis bleibt 24 Stunden gültig.',
    delete: 'Löschen',
    deleteTitle: 'Diesen Webhook löschen?',
    deleteConsequence:
      'Parley sendet keine Ereignisse mehr an {url}, und der Zustellverlauf wird gelöscht. Das kann nicht rückgängig gemacht werden.',
    deleted: 'Webhook gelöscht',
  },
  form: {
    new: 'Webhook hinzufügen',
    edit: 'Webhook bearbeiten',
    add: 'Webhook hinzufügen',
    save: 'Webhook speichern',
    saved: 'Webhook gespeichert',
    url: 'URL',
    urlHint:
      'HTTP oder HTTPS. Wenn der Antwortstatus nicht 2xx ist, wird die Zustellung etwa einen Tag lang wiederholt.',
    description: 'Beschreibung (optional)',
    events: 'Ereignisse',
  },
  event: {
    conversation: {
      updated:
        'Eine Unterhaltung wird erstellt, umbenannt, archiviert oder gelöscht oder erhält eine neue Antwort',
    },
    agent_deployment: {
      status_changed: 'Ein Deployment wird pausiert oder fortgesetzt',
    },
    knowledge_base: {
      ingestion_completed: 'Alle Dokumente einer Wissensdatenbank sind indexiert',
      ingestion_failed: 'Kein Dokument einer Wissensdatenbank konnte indexiert werden',
    },
    billing: {
      debited: 'Credits werden verbraucht',
      credits_low: 'Die Credits fallen unter den Schwellenwert der Warnung',
    },
  },
  secret: {
    title: 'Signaturgeheimnis',
    usage:
      'Prüfen Sie mit dem Geheimnis, dass Anfragen von Parley kommen. Die Signaturen folgen der Spezifikation Standard Webhooks, daher können Sie sie mit deren Bibliotheken prüfen.',
    done: 'Fertig',
  },
  deliveries: {
    title: 'Zustellungen',
    empty: 'Keine Zustellungen',
    emptyHint:
      'Hier erscheinen die Zustellungen der letzten 30 Tage. Senden Sie ein Testereignis, um die Verbindung zu prüfen.',
    noMatches: 'Keine Zustellungen entsprechen diesen Filtern',
    status: 'Status',
    event: 'Ereignis',
    all: 'Alle',
  },
  deliveryStatus: {
    pending: 'Ausstehend',
    delivered: 'Zugestellt',
    failed: 'Fehlgeschlagen',
  },
  delivery: {
    sequence: 'Zustellung Nr. {number, number}',
    attempts: 'Versuche',
    responded: 'HTTP {status} nach {ms, number} ms',
    failed: '{error} ({ms, number} ms)',
    noAttempts: 'Noch keine Versuche',
    nextAttempt: 'Nächster Versuch: {time}',
    data: 'Ereignisdaten',
    redeliver: 'Ereignis erneut zustellen',
    redelivering: 'Zustellung eingeplant',
    disabled: 'Aktivieren Sie zuerst den Webhook',
  },
} satisfies Translation<typeof en>
