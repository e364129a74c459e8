import type { Translation } from '@parley/messages'
import type en from '../en/connections.ts'

export default {
  auth: {
    api_key: 'API-Schlüssel',
    composio: 'Anmeldung über Composio',
    none: 'Kein Konto erforderlich',
    notSetUp: 'Noch nicht eingerichtet',
    notSetUpHint: 'Noch nicht eingerichtet. Bitten Sie die Systemadministration, diesen Server einzurichten.',
    oauth: 'Anmeldung',
  },
  callback: {
    connected: 'Verbunden',
    connectedFor: 'Verbunden für {email}.',
    connectedIn: 'Verbunden für {email} in {organization}.',
    connecting: 'Verbindung wird hergestellt',
    failedTitle: '{name} konnte nicht verbunden werden',
    closeWindow: 'Sie können dieses Fenster schließen.',
    notConnected: 'Nicht verbunden',
    retry: 'Erneut versuchen',
    unknown: 'Dieser Link gehört zu keiner Ihrer Verbindungen. Verbinden Sie das Konto erneut.',
    unknownTitle: 'Verbindung nicht gefunden',
  },
  cancel: 'Abbrechen',
  client: {
    accessWarning:
      'Jeder, der diese URL hat, kann Ihr Konto verwenden. Die URL läuft nach einer Stunde ab, oder früher, wenn Sie das Konto trennen oder sich abmelden.',
    configuration: 'Client-Konfiguration',
    configurationHint: 'Für Clients mit JSON-Konfiguration, zum Beispiel mcp.json in Cursor.',
    configurationTitle: 'Client-Konfiguration',
    create: 'URL erstellen',
    description:
      'Claude, Cursor und andere MCP-Clients können Ihr Konto „{name}“ über eine temporäre URL verwenden.',
    title: 'In anderem MCP-Client verwenden',
    url: 'URL',
  },
  confirm: {
    connect: 'Verbinden',
    expired:
      'Dieser Verbindungsversuch ist abgelaufen oder bereits abgeschlossen. Verbinden Sie Ihr Konto erneut.',
    expiredTitle: 'Nichts zu verbinden',
    for: 'für {email}',
    home: 'Zu Parley',
    notYours: '{user} hat begonnen, {name} zu verbinden. Sie sind als {email} angemeldet.',
    notYoursHint:
      'Es wurde nichts verbunden. Wenn eine andere Person Ihnen den Link geschickt hat, schließen Sie diese Seite. Diese Person hat keinen Zugriff auf Ihr Konto.',
    notYoursTitle: 'Eine andere Person hat diese Verbindung gestartet',
    signIn: 'Mit anderem Konto anmelden',
    title: 'Konto verbinden',
    warning:
      'Diese Verbindung wurde in einem anderen Browser oder mit einem API-Client begonnen. Fahren Sie nur fort, wenn Sie sie selbst begonnen haben.',
    yoursTitle: '{name} verbinden?',
  },
  connect: {
    apiKeyHint:
      'Erstellen Sie den Schlüssel in Ihrem Konto beim Dienst. Parley testet den Schlüssel, speichert ihn verschlüsselt und zeigt ihn nie wieder an.',
    apiKeyIntro:
      '{name} erkennt Sie an einem API-Schlüssel. Die Tools können alles tun, was der Schlüssel erlaubt.',
    apiKeyLabel: 'API-Schlüssel für {name}',
    away: 'Melden Sie sich im geöffneten Fenster bei <host>{address}</host> an, und erlauben Sie den Zugriff. Parley fährt dann fort.',
    composioIntro:
      'Melden Sie sich im Fenster, das sich öffnet, über Composio bei {name} an. Composio ist ein eigener Dienst. Er speichert die Zugriffstoken für Ihr Konto.',
    connect: 'Verbinden',
    connected:
      '{name} ist verbunden. Die Tools sind im Playground und in Agenten verfügbar, für die Sie die Verbindung freigeben.',
    continue: 'Weiter',
    description:
      'Die Verbindung gehört Ihnen in {organization}. Andere Mitglieder können sie nur über Agenten verwenden, für die Sie sie freigeben.',
    done: 'Fertig',
    expired: 'Dieser Versuch ist abgelaufen. Verbinden Sie das Konto erneut.',
    invalidUrl: 'Die Anmelde-URL dieses Servers ist ungültig. Wenden Sie sich an Ihren Administrator.',
    noAccountIntro:
      '{name} braucht kein Konto. Der Server erhält alles, was Sie oder ein Agent an seine Tools senden.',
    oauthIntro:
      'Melden Sie sich im Fenster, das sich öffnet, bei {name} an, und erlauben Sie Parley, Ihr Konto zu verwenden. Parley sieht nie Ihr Passwort. Das Zugriffstoken wird verschlüsselt gespeichert.',
    reconnectTitle: '{name} neu verbinden',
    startOver: 'Neu beginnen',
    title: '{name} verbinden',
  },
  goToConnections: 'Zu den Verbindungen',
  isConnected: '{name} ist verbunden',
  loading: 'Wird geladen',
  own: {
    actionsFor: 'Aktionen für {name}',
    added: 'Hinzugefügt <ago></ago>',
    browse: 'Server durchsuchen',
    disconnect: 'Verbindung trennen',
    disconnectConsequence:
      '{count, plural, =0 {Parley verliert den Zugriff auf Ihr Konto bei {server}.} one {Parley verliert den Zugriff auf Ihr Konto bei {server}. # Agent verliert dessen Tools.} other {Parley verliert den Zugriff auf Ihr Konto bei {server}. # Agenten verlieren dessen Tools.}} Sie können das Konto jederzeit wieder verbinden.',
    disconnectTitle: 'Verbindung „{name}“ trennen?',
    disconnected: 'Verbindung „{name}“ getrennt',
    notRevoked:
      'Verbindung „{name}“ getrennt. Der Zugriff wurde aber nicht widerrufen. Widerrufen Sie ihn in Ihrem Konto beim Anbieter. Ursache: {reason}',
    empty:
      'Verbinden Sie ein Konto bei einem Dienst wie Linear oder Notion. Modelle können dort dann Daten für Sie suchen und ändern.',
    emptyTitle: 'Noch keine Verbindungen',
    inactive: 'Diese Verbindung funktioniert nicht mehr.',
    label: 'Ihre Verbindungen',
    pending: 'Die Anmeldung wurde nicht abgeschlossen.',
    reconnect: 'Neu verbinden',
    shared: 'Für {count, plural, one {# Agenten} other {# Agenten}} freigegeben',
    sharing: 'Name und Freigabe',
    status: {
      active: 'Aktiv',
      inactive: 'Inaktiv',
      pending: 'Ausstehend',
    },
    tools: 'Tools anzeigen',
  },
  parley: {
    administrator: 'Ein Administrator von {organization} kann API-Schlüssel erstellen.',
    agents: 'Jeder aktive Agent ist als Tool verfügbar. Ein Aufruf kostet so viel wie eine Antwort.',
    createKey: '<link>Erstellen Sie einen API-Schlüssel</link> mit {permissions}.',
    description:
      'Ihre Agenten und Wissensdatenbanken werden zu Tools in Claude, Cursor und anderen MCP-Clients.',
    instructions: 'Ihre gespeicherten Anweisungen sind als Prompts verfügbar.',
    intro:
      'Die meisten Clients brauchen nur diese URL. Der Client öffnet eine Seite, auf der Sie sich anmelden und eine Organisation wählen. Parley erstellt dann einen API-Schlüssel mit dem Namen des Clients. Um dem Client den Zugriff zu entziehen, löschen Sie diesen API-Schlüssel.',
    keyDescription:
      'Für Clients, die sich nicht anmelden können. Der Schlüssel gewährt Zugriff auf {organization}.',
    keyTitle: 'Zugriff mit API-Schlüssel',
    knowledge:
      'Wissensdatenbanken können aufgelistet und durchsucht werden. Ihre Dokumente sind als Ressourcen verfügbar.',
    title: 'Parley in Ihrem MCP-Client verwenden',
  },
  resources: {
    hint: 'Der Chat erhält eine Kopie der Ressource in ihrem jetzigen Zustand.',
    label: 'Ressourcen',
    loading: 'Ressourcen werden gelesen …',
    noMatch: 'Keine Ressource passt zu Ihrer Suche.',
    none: 'Dieser Server bietet keine Ressourcen an.',
    search: 'Ressourcen durchsuchen',
    title: 'Ressource anhängen',
  },
  server: {
    add: 'Server hinzufügen',
    apiKeyHeader: 'Header für den API-Schlüssel',
    auth: 'Authentifizierung',
    authType: {
      api_key: 'API-Schlüssel',
      composio: 'Composio',
      none: 'Kein Konto erforderlich',
      notSetUp: 'Nicht eingerichtet',
      oauth: 'OAuth-Anmeldung',
    },
    authorizationUrl: 'Autorisierungs-URL',
    clientId: 'Client-ID',
    clientSecret: 'Client-Secret',
    clientSecretHint: 'Wird verschlüsselt gespeichert und nie wieder angezeigt.',
    clientSecretKept: 'Leer lassen, um das aktuelle Secret zu behalten.',
    composioConfig: 'Auth-Config-ID bei Composio',
    customClient: 'Eigener OAuth-Client',
    customClientHint:
      'Nur erforderlich, wenn der Anbieter Clients nicht automatisch registriert. Weiterleitungs-URL: <url>{address}</url>',
    description: 'Beschreibung',
    descriptionHint: 'Die Katalogsuche und der Playground verwenden die Beschreibung.',
    edit: 'Server bearbeiten',
    formHint: 'Dieser MCP-Server ist für alle Benutzer dieser Parley-Installation sichtbar.',
    hostWarning:
      'Wenn Sie den Host ändern, werden alle Verbindungen zu diesem Server inaktiv und müssen neu hergestellt werden.',
    name: 'Name',
    save: 'Änderungen speichern',
    saved: 'Server gespeichert',
    scopes: 'Scopes',
    scopesHint: 'Durch Leerzeichen getrennt',
    slug: 'Kurzname',
    slugFormat:
      'Verwenden Sie Kleinbuchstaben, Ziffern, Bindestriche und Unterstriche. Beginnen Sie mit einem Buchstaben oder einer Ziffer.',
    slugHint: 'Wird dem Namen eines Tools hinzugefügt, wenn ein anderer Server ein gleichnamiges Tool hat',
    tokenUrl: 'Token-URL',
    url: 'URL',
  },
  servers: {
    administratorHint: 'Ihr Administrator kann hier MCP-Server hinzufügen.',
    connect: 'Verbinden',
    connectAnother: 'Weiteres Konto verbinden',
    connectAnotherAt: 'Weiteres Konto bei {name} verbinden',
    connectName: '{name} verbinden',
    connected: 'Verbunden',
    emptyTitle: 'Noch keine Server',
    label: 'Server',
    leftOut: 'Für Modelle nicht verfügbar',
    noDescription: 'Keine Beschreibung',
    noMatch: 'Kein Server passt zu „{query}“. Ihr Administrator kann Server hinzufügen.',
    noMatchTitle: 'Keine passenden Server',
    noTools: 'Dieser Server hat keine Tools.',
    refresh: 'Tools aktualisieren',
    refreshed: 'Aktualisiert <ago></ago>',
    refreshedAndChanged: 'Aktualisiert <ago></ago> · Zuletzt geändert <change></change>',
    remove: 'Server entfernen',
    removeConsequence:
      'Nach dem Entfernen kann sich niemand mehr mit diesem Server verbinden. Solange noch Benutzer verbunden sind, kann der Server nicht entfernt werden.',
    removeTitle: '„{name}“ entfernen?',
    removed: '„{name}“ entfernt',
    search: 'Server suchen',
    searchPlaceholder: 'Name oder Zweck',
    setUp: 'Einrichten',
    setUpByOthers:
      'Benutzer können sich mit diesen Servern verbinden, sobald die Systemadministration sie eingerichtet hat. Wenden Sie sich an sie, wenn Sie einen Server brauchen.',
    setUpHint:
      'Benutzer können sich mit diesen Servern verbinden, sobald Sie die Einstellungen für die Anmeldung eingegeben haben.',
    setUpName: '{name} einrichten',
    showMore: 'Weitere Server anzeigen ({count, number} insgesamt)',
    title: 'Server',
    toolInput: 'Eingabe von {name}',
    tools: 'Tools',
    toolsCount: 'Tools ({count, number})',
    toolsHidden: 'Verbinden Sie ein Konto, um die Tools zu sehen.',
  },
  sharing: {
    agents: 'Für Agenten freigegeben',
    choose: 'Agenten auswählen',
    agentsHint:
      'Die ausgewählten Agenten handeln mit Ihrem Konto für alle, die sie verwenden: Mitglieder von {organization} und Besucher ihrer Deployments.',
    name: 'Name',
    nameHint: 'Unterscheidet mehrere Konten beim selben Dienst',
    noMatches: 'Keine passenden Agenten',
    permission:
      'Um diese Verbindung freizugeben, brauchen Sie die Berechtigung, Agenten zu bearbeiten ({permission}).',
    reconnect: 'Verbinden Sie das Konto neu, um es für weitere Agenten freizugeben.',
    save: 'Änderungen speichern',
    saved: 'Änderungen gespeichert',
    title: 'Name und Freigabe',
  },
  tabs: {
    catalogue: 'Server',
    own: 'Ihre Verbindungen',
    parley: 'Parley als MCP-Server',
  },
  title: 'Verbindungen',
  titleHint:
    'Verbinden Sie Ihre Konten bei anderen Diensten. Der Playground, Ihre MCP-Clients und Agenten, für die Sie Verbindungen freigeben, können dann die Tools dieser Dienste verwenden.',
} satisfies Translation<typeof en>
