import type { Translation } from '@parley/messages'
import type en from '../en/deployments.ts'

export default {
  title: 'Deployments',
  description:
    'Ein Deployment stellt einen Agenten auf einer Website oder für ein Programm bereit. Besucher benötigen kein Parley-Konto.',
  create: 'Deployment erstellen',
  empty: 'Noch keine Deployments',
  emptyHint:
    'Lassen Sie Besucher Ihrer Website mit einem Agenten chatten oder rufen Sie ihn aus Ihrem eigenen Programm auf. {organization} bezahlt die Nachrichten. Mit einem Tageslimit begrenzen Sie die Kosten.',
  search: 'Deployments suchen',
  name: 'Deployment',
  agent: 'Agent',
  unknownAgent: 'Unbekannter Agent',
  type: 'Typ',
  status: 'Status',
  today: 'Heute',
  repliesToday: 'Antworten heute (UTC)',
  usedOf: '{used} <rest>von {limit}</rest>',
  types: {
    widget: 'Chat-Schaltfläche',
    iframe: 'Eingebetteter Chat',
    api: 'API',
  },
  typeNotes: {
    widget: 'Eine Schaltfläche auf Ihrer Website, die einen Chat öffnet',
    iframe: 'Ein Chat innerhalb einer Seite Ihrer Website',
    api: 'Eine API, die Programme mit einem Schlüssel aufrufen',
  },
  statuses: {
    active: 'Aktiv',
    paused: 'Pausiert',
  },
  new: {
    title: 'Deployment erstellen',
    description: 'Agent und Typ können später nicht geändert werden.',
    noAgents: 'Noch keine Agenten. Erstellen Sie zuerst einen Agenten.',
    choose: 'Agent auswählen',
    name: 'Name',
    nameHint: 'Für Besucher sichtbar, sofern Sie keinen Firmennamen angeben',
    cancel: 'Abbrechen',
    create: 'Deployment erstellen',
    created: '{name} ist bereit',
    keyForProgram: 'Ihr Programm authentifiziert sich mit diesem Schlüssel.',
    keyForWebsite:
      'Ihre Website braucht diesen Schlüssel nicht. Er ist für Programme, die den Agenten aufrufen.',
    appearance: 'Darstellung bearbeiten',
    showApi: 'API-Beispiele anzeigen',
    showCode: 'Installationscode anzeigen',
  },
  actions: {
    more: 'Weitere Aktionen',
    edit: 'Details bearbeiten',
    pause: 'Pausieren',
    paused: '{name} pausiert',
    resume: 'Fortsetzen',
    resumed: '{name} fortgesetzt',
    delete: 'Löschen',
    deleteTitle: '„{name}“ löschen?',
    deleteApi:
      'Der Schlüssel des Deployments funktioniert sofort nicht mehr, und alle seine Unterhaltungen werden gelöscht. Der Agent bleibt erhalten. Das kann nicht rückgängig gemacht werden.',
    deleteChat:
      'Der Chat verschwindet von Ihrer Website, und alle Unterhaltungen mit Besuchern werden gelöscht. Der Agent bleibt erhalten. Das kann nicht rückgängig gemacht werden.',
    deleted: '{name} gelöscht',
  },
  details: {
    title: 'Details bearbeiten',
    name: 'Name',
    description: 'Beschreibung',
    descriptionHint: 'Besucher sehen die Beschreibung nicht.',
    save: 'Details speichern',
  },
  page: {
    tabs: 'Deployment',
    overview: 'Übersicht',
    appearance: 'Darstellung und Limits',
    limits: 'Limits',
    install: 'Installation',
    key: 'Schlüssel',
    saved: 'Deployment gespeichert',
  },
  overview: {
    usage: 'Nutzung',
    usageHint: 'Eine Antwort zählt an dem Tag (UTC), an dem sie endet.',
    period: 'Zeitraum',
    days: '{count, plural, one {# Tag} other {# Tage}}',
    replies: 'Antworten',
    credits: 'Credits',
    inputTokens: 'Eingabe-Token',
    outputTokens: 'Ausgabe-Token',
    noReplies: 'Keine Antworten in diesem Zeitraum',
    chart: 'Antworten pro Tag',
    details: 'Details',
    limit: 'Tageslimit',
    noLimit: 'Kein Limit',
    perDay: '{count, plural, one {# Nachricht pro Tag (UTC)} other {# Nachrichten pro Tag (UTC)}}',
    websites: 'Zugelassene Websites',
    anyWebsite: 'Jede Website',
    key: 'Schlüssel',
    created: 'Erstellt',
  },
  preview: {
    title: 'Vorschau',
    frame: 'Chat-Vorschau',
    paused:
      'Dieses Deployment ist pausiert, und Besucher sehen, dass der Chat geschlossen ist. Setzen Sie es fort, um die Vorschau anzuzeigen.',
    note: 'Nachrichten in der Vorschau zählen zum Tageslimit und kosten so viel wie Nachrichten von Besuchern.',
  },
  key: {
    title: 'Schlüssel',
    description:
      'Programme senden den Schlüssel mit jeder Anfrage. Parley speichert nur einen Hash des Schlüssels und kann ihn daher nicht erneut anzeigen.',
    current:
      'Der aktuelle Schlüssel beginnt mit <prefix>{start}</prefix>. Wenn Sie ihn verloren haben, generieren Sie ihn neu.',
    regenerate: 'Schlüssel neu generieren',
    question: 'Schlüssel neu generieren?',
    consequence:
      'Der aktuelle Schlüssel funktioniert sofort nicht mehr, und Anfragen damit werden abgelehnt. Besucher Ihrer Website sind nicht betroffen.',
    notAllowed: 'Um den Schlüssel neu zu generieren, benötigen Sie die Berechtigung agent:write.',
  },
  look: {
    readOnly: 'Sie haben keine Berechtigung, dieses Deployment zu ändern.',
    title: 'Darstellung',
    description: 'Die Vorschau zeigt Ihre Änderungen. Besucher sehen sie, sobald Sie speichern.',
    company: 'Firmenname',
    companyHint: 'Wird oben im Chat angezeigt. Standard: der Name des Deployments.',
    logo: 'Logo-URL',
    logoFormat: 'Eine URL, die mit https:// beginnt',
    color: 'Farbe',
    colorFormat: 'Zum Beispiel #0b5fff',
    pickColor: 'Farbe auswählen',
    font: 'Schriftart',
    fontHint:
      'Namen von Schriften, durch Kommas getrennt. Die Schriften müssen auf den Geräten der Besucher installiert sein: Parley lädt keine herunter.',
    welcome: 'Begrüßungsnachricht',
    welcomeHint:
      'Die erste Nachricht, die Besucher sehen. Unterstützt Markdown. Leer lassen für eine Begrüßung in der Sprache des Besuchers.',
    starters: 'Einstiegsfragen',
    startersHint:
      'Bis zu 4 Fragen, die Besucher mit einem Klick senden können, eine pro Zeile. Leer lassen für allgemeine Fragen in der Sprache des Besuchers.',
    placement: 'Position der Schaltfläche',
    bottomRight: 'Unten rechts',
    bottomLeft: 'Unten links',
    limits: 'Limits',
    origins: 'Zugelassene Websites',
    originsHint: 'Ein Origin pro Zeile. Leer lassen, um jede Website zuzulassen.',
    daily: 'Nachrichten pro Tag',
    noLimit: 'Kein Limit',
    dailyHint:
      'Summe aller Besucher pro Tag (UTC). Wenn das Limit erreicht ist, werden Besucher gebeten, am nächsten Tag wiederzukommen.',
  },
  install: {
    website: 'Installation auf einer Website',
    widgetHint: 'Fügen Sie diesen Code vor {tag} in Ihre Seiten ein. Er enthält keine Geheimnisse.',
    frameHint:
      'Fügen Sie diesen Code in die Seite ein, auf der der Chat erscheinen soll. Er enthält keine Geheimnisse.',
    script: 'Script-Tag',
    origins:
      'Nur Seiten von {origins} können den Chat anzeigen. Um weitere Websites zu erlauben, bearbeiten Sie „Darstellung und Limits“.',
    embed: 'Eingebetteter Chat statt einer Schaltfläche',
    csp: 'Seiten mit Content-Security-Policy',
    cspHint: 'Fügen Sie der Richtlinie diese Quellen hinzu:',
    policy: 'Richtlinie',
    program: 'Verwendung der API',
    programHint:
      'Ersetzen Sie {placeholder} durch den Schlüssel des Deployments. Bewahren Sie den Schlüssel auf Ihrem Server auf: Wer ihn hat, kann auf Ihre Kosten Nachrichten senden.',
    typescript: 'TypeScript mit dem OpenAI-Client',
    python: 'Python mit dem OpenAI-Client',
    reference:
      'Die <link>API-Referenz</link> beschreibt alle Anfragen. Um eine Unterhaltung fortzusetzen, senden Sie den Header X-Session-Id der Antwort als session_id.',
  },
} satisfies Translation<typeof en>
