import type { Translation } from '@parley/messages'
import type en from '../en/billing.ts'

export default {
  title: 'Nutzung',
  description: 'Guthaben, Nutzung und Budgets',
  views: 'Ansichten der Nutzung',
  tab: {
    overview: 'Übersicht',
    ledger: 'Buchungen',
    budgets: 'Budgets',
  },
  credits: {
    title: 'Credits',
    available: 'Verfügbar',
    availableNote: 'sofort nutzbar',
    balance: 'Guthaben',
    balanceNote: 'einschließlich reservierter Credits',
    reserved: 'Reserviert',
    reservedNote: 'für laufende Antworten',
    price: 'Modelle werden in Credits pro Token abgerechnet.',
    threshold: 'Sie werden gewarnt, wenn das Guthaben unter {credits} fällt.',
    editThreshold: 'Warnung bearbeiten',
    transfer: 'Credits übertragen',
  },
  warning: {
    low: 'Die Credits gehen zur Neige. Wenden Sie sich an den Administrator dieser Installation.',
    lowTransfer:
      'Die Credits gehen zur Neige. Übertragen Sie Credits aus einer anderen Organisation, deren Inhaber Sie sind, oder wenden Sie sich an den Administrator dieser Installation.',
    out: 'Keine Credits mehr. Neue Nachrichten werden abgelehnt. Wenden Sie sich an den Administrator dieser Installation.',
    outTransfer:
      'Keine Credits mehr. Neue Nachrichten werden abgelehnt. Übertragen Sie Credits aus einer anderen Organisation, deren Inhaber Sie sind, oder wenden Sie sich an den Administrator dieser Installation.',
  },
  threshold: {
    title: 'Warnung bei wenigen Credits',
    description:
      'Wenn das Guthaben unter diesen Schwellenwert fällt, erscheint auf dieser Seite eine Warnung, und Webhooks erhalten das Ereignis billing.credits_low.',
    credits: 'Schwellenwert (Credits)',
    save: 'Warnung speichern',
    saved: 'Warnung gespeichert',
  },
  transfer: {
    title: 'Credits übertragen',
    description: 'Übertragen Sie Credits aus einer anderen Organisation, deren Inhaber Sie sind, an {name}.',
    from: 'Von',
    choose: 'Organisation auswählen',
    credits: 'Credits',
    available: '{credits} verfügbar',
    action: 'Credits übertragen',
    done: '{count, plural, one {{credits} Credit an {name} übertragen} other {{credits} Credits an {name} übertragen}}',
  },
  overview: {
    period: 'Zeitraum',
    days: '{count, plural, one {Letzter Tag} other {Letzte # Tage}}',
    download: 'CSV herunterladen',
    byDay: 'Nach Tag',
    byDayUnit: 'Credits pro Tag (UTC)',
    chart: 'Credits pro Tag',
    empty: 'Keine Nutzung in diesem Zeitraum',
    emptyHint: 'Hier erscheinen Antworten mit ihren Token und Credits.',
    summary:
      '{count, plural, one {{credits} Credit} other {{credits} Credits}} für {replies, plural, one {# Antwort} other {# Antworten}} mit {input, number} Eingabe- und {output, number} Ausgabe-Token',
    groups: 'Nutzung nach Gruppe',
    groupBy: 'Gruppieren nach',
    replies: 'Antworten',
    inputTokens: 'Eingabe-Token',
    outputTokens: 'Ausgabe-Token',
    credits: 'Credits',
    first:
      'Die ersten {shown, number} von {total, plural, one {# Gruppe} other {# Gruppen}}. Die CSV-Datei enthält alle Gruppen.',
    noMember: 'Besucher und System',
    none: 'Ohne',
    unknown: 'Gelöscht oder in einer anderen Organisation',
  },
  group: {
    model: 'Modell',
    user: 'Mitglied',
    agent: 'Agent',
    deployment: 'Deployment',
    api_key: 'API-Schlüssel',
  },
  usageBy: {
    model: 'Nutzung nach Modell',
    user: 'Nutzung nach Mitglied',
    agent: 'Nutzung nach Agent',
    deployment: 'Nutzung nach Deployment',
    api_key: 'Nutzung nach API-Schlüssel',
  },
  ledger: {
    title: 'Buchungen',
    kind: 'Typ',
    all: 'Alle',
    empty: 'Keine Buchungen',
    emptyHint: 'Hier erscheinen Gutschriften und die Kosten von Antworten.',
    date: 'Datum',
    entry: 'Buchung',
    credits: 'Credits',
    balance: 'Guthaben',
    tokens: '{input, number} Eingabe-Token, {output, number} Ausgabe-Token',
    startingCredits: 'Startguthaben',
    transfer: 'Übertragung',
  },
  kind: {
    DEBIT: 'Belastung',
    CREDIT: 'Gutschrift',
    HOLD: 'Reservierung',
    RELEASE: 'Freigabe',
    TRANSFER: 'Übertragung',
  },
  budgets: {
    title: 'Budgets',
    empty: 'Noch keine Budgets',
    emptyHint:
      'Ein Budget begrenzt die Credits, die ein Mitglied oder ein API-Schlüssel pro Monat verbrauchen kann. Ohne Budget sind alle Credits der Organisation verfügbar.',
    add: 'Budget hinzufügen',
    edit: 'Budget bearbeiten',
    used: '{used} von {count, plural, one {{limit} Credit} other {{limit} Credits}}',
    nearlyUsedUp:
      '{used} von {count, plural, one {{limit} Credit} other {{limit} Credits}} (fast aufgebraucht)',
    yoursEnds:
      'Sie haben {share, number, percent} Ihres Budgets von {count, plural, one {{limit} Credit} other {{limit} Credits}} verbraucht. Wenn es aufgebraucht ist, werden Ihre Nachrichten bis zum {date} abgelehnt.',
    yoursEnded:
      'Ihr Budget von {count, plural, one {{limit} Credit} other {{limit} Credits}} ist aufgebraucht. Ihre Nachrichten werden bis zum {date} abgelehnt.',
    usedUp:
      '{used} von {count, plural, one {{limit} Credit} other {{limit} Credits}} (aufgebraucht: Nachrichten werden abgelehnt)',
    resets: 'Wird am {date} zurückgesetzt',
    remove: 'Budget von {name} entfernen',
    removeTitle: 'Budget von {name} entfernen?',
    removeConsequence: '{name} kann dann alle Credits der Organisation verbrauchen.',
    removeAction: 'Budget entfernen',
    removed: 'Budget von {name} entfernt',
  },
  budget: {
    title: 'Budget von {name}',
    new: 'Budget hinzufügen',
    description:
      'Budgets werden am ersten Tag jedes Monats (UTC) zurückgesetzt. Credits, die in diesem Monat bereits verbraucht wurden, werden auf ein neues Budget angerechnet. Eine Antwort beginnt, solange mindestens 1 Credit übrig ist. Die letzte Antwort kann das Budget deshalb überschreiten. Danach werden Nachrichten bis zum Zurücksetzen abgelehnt.',
    subject: 'Mitglied oder API-Schlüssel',
    subjectHint:
      'Das Budget eines Mitglieds gilt für alle API-Schlüssel des Mitglieds. Ein API-Schlüssel kann auch ein eigenes Budget haben.',
    choose: 'Mitglied oder API-Schlüssel auswählen',
    members: 'Mitglieder',
    member: '{name} ({email})',
    keys: 'API-Schlüssel',
    credits: 'Credits pro Monat',
    save: 'Budget speichern',
    saved: 'Budget von {name} gespeichert',
  },
  subject: {
    member: 'Unbekanntes Mitglied',
    key: 'API-Schlüssel {name}',
    unknownKey: 'API-Schlüssel',
  },
} satisfies Translation<typeof en>
