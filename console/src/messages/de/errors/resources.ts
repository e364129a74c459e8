import type { ErrorMessages } from '../../error-messages.ts'

/** Errors of agents, models, knowledge bases, tools, connections and deployments. */
export default {
  agent: {
    changing: 'Eine andere Anfrage ändert diesen Agenten gerade. Versuchen Sie es erneut.',
    foreign_failed:
      'Dieser Agent konnte nicht antworten. Versuchen Sie es erneut, oder wenden Sie sich an den Anbieter des Agenten.',
    in_use: 'Dieser Agent wird in Deployments verwendet: {deployments}. Löschen Sie diese zuerst.',
    inactive: 'Dieser Agent ist nicht aktiv. Aktivieren Sie ihn, oder wählen Sie einen anderen Agenten.',
    name_taken: 'Es gibt bereits einen Agenten mit diesem Namen. Wählen Sie einen anderen Namen.',
    not_found: 'Dieser Agent wurde nicht gefunden.',
    tools_too_large:
      'Die Konfiguration der Tools dieses Agenten darf höchstens {size} groß sein. Entfernen Sie ein Tool, oder kürzen Sie Werte.',
  },
  deployment: {
    config_invalid: 'Prüfen Sie die Einstellungen des Deployments: {reason}',
    daily_limit:
      'Dieser Chat hat sein Limit von {limit, plural, one {# Nachricht} other {# Nachrichten}} pro Tag erreicht. Versuchen Sie es nach Mitternacht (UTC) erneut.',
    not_found: 'Dieses Deployment wurde nicht gefunden.',
    paused: 'Dieses Deployment ist pausiert. Versuchen Sie es erneut, wenn es fortgesetzt wurde.',
    suspended: 'Dieser Chat ist nicht verfügbar, weil die Organisation, die ihn anbietet, gesperrt ist.',
  },
  kb: {
    changing: 'Dieses Dokument wird gerade neu indexiert. Versuchen Sie es erneut, wenn es bereit ist.',
    chunk_not_found: 'Dieser Chunk wurde nicht gefunden.',
    chunking_invalid: 'Die Überlappung darf höchstens ein Viertel der Chunk-Größe betragen.',
    dimensions:
      'Das Embedding-Modell liefert jetzt Vektoren mit {now, number} statt {before, plural, one {# Dimension} other {# Dimensionen}}. Wählen Sie in den Einstellungen ein Embedding-Modell, und indexieren Sie die Dokumente neu.',
    document_not_found: 'Dieses Dokument wurde nicht gefunden.',
    documents_unknown: 'Diese Dokumente gibt es in dieser Wissensdatenbank nicht: {ids}. Prüfen Sie die IDs.',
    evaluation_not_found: 'Diese Evaluierung wurde nicht gefunden.',
    filter_invalid: 'Prüfen Sie den Filter: {reason}',
    name_taken: 'Es gibt bereits eine Wissensdatenbank mit diesem Namen. Wählen Sie einen anderen Namen.',
    not_embedding: 'Dieses Modell erzeugt keine Embeddings. Wählen Sie ein anderes Embedding-Modell.',
    not_found: 'Diese Wissensdatenbank wurde nicht gefunden.',
    run_not_found: 'Dieser Lauf wurde nicht gefunden.',
    source_invalid: 'Prüfen Sie die Quelle: {reason}',
    source_not_found: 'Diese Quelle wurde nicht gefunden.',
    too_many_evaluations:
      'Eine Wissensdatenbank kann höchstens {limit, plural, one {# Evaluierung} other {# Evaluierungen}} haben. Löschen Sie zuerst eine.',
    too_many_runs:
      'Für eine Evaluierung {limit, plural, one {kann höchstens # Lauf} other {können höchstens # Läufe}} gleichzeitig aktiv sein. Warten Sie, bis einer abgeschlossen ist.',
    too_many_sources:
      'Eine Wissensdatenbank kann höchstens {limit, plural, one {# Quelle} other {# Quellen}} haben. Löschen Sie zuerst eine.',
    window_too_small:
      'Das Kontextfenster dieses Modells ist zu klein für die Frage und eine Textstelle. Wählen Sie ein Modell mit größerem Kontextfenster, oder kürzen Sie den System-Prompt.',
  },
  llm: {
    api_key_needed: 'Geben Sie einen API-Schlüssel an: {provider} verlangt einen.',
    base_url_needed: 'Geben Sie eine Basis-URL an: {provider} hat keine öffentliche Adresse.',
    cannot_call_tools:
      'Dieses Modell kann keine Tools aufrufen. Wählen Sie ein Modell, das Tools aufrufen kann, oder einen Agenten ohne Tools.',
    cannot_chat: 'Dieses Modell erzeugt keinen Text. Wählen Sie ein Modell, das Text erzeugt.',
    cannot_see: 'Dieses Modell kann keine Bilder sehen. Wählen Sie ein Modell, das Bilder versteht.',
    connection_in_use: 'Diese Verbindung wird verwendet ({models}). Wählen Sie dort zuerst eine andere.',
    connection_key_needed: 'Geben Sie den API-Schlüssel erneut ein, wenn Sie die Basis-URL ändern.',
    connection_name_taken:
      'In dieser Organisation gibt es bereits eine Verbindung mit diesem Namen. Wählen Sie einen anderen Namen.',
    connection_not_found: 'Diese Verbindung wurde nicht gefunden.',
    connection_of_another:
      'Diese Verbindung führt zu {connected}, das Modell ist aber von {provider}. Wählen Sie eine Verbindung zu {provider}.',
    connection_or_key: 'Geben Sie entweder eine Verbindung an oder einen API-Schlüssel und eine Basis-URL.',
    failed: 'Der Aufruf des Modells ist fehlgeschlagen: {reason}',
    in_use: 'Dieses Modell wird verwendet ({users}). Wählen Sie dort zuerst ein anderes.',
    inactive: 'Dieses Modell ist nicht aktiv. Aktivieren Sie es, oder wählen Sie ein anderes Modell.',
    key_needed: 'Geben Sie den API-Schlüssel erneut ein, wenn Sie die Basis-URL ändern.',
    member_is_route:
      'Das Mitglied {model} ist selbst eine Route. Fügen Sie stattdessen die Mitglieder dieser Route hinzu.',
    member_not_found:
      'Das Mitglied {value} der Route wurde nicht gefunden. Fügen Sie ein Modell dieser Organisation hinzu.',
    members_differ:
      'Die Mitglieder dieser Route haben keine gemeinsame Fähigkeit. Wählen Sie Mitglieder, die alle Text, Bilder, Videos oder Transkripte erzeugen.',
    no_member:
      'Kein Mitglied dieser Route ist aktiv und konfiguriert. Aktivieren Sie ein Mitglied, oder fügen Sie der Route eines hinzu.',
    none: 'Kein aktives Modell dieser Organisation unterstützt {capability}. Fügen Sie eines hinzu, oder aktivieren Sie eines.',
    not_configured: 'Der Anbieter {provider} ist nicht richtig konfiguriert. Wenden Sie sich an den Support.',
    not_found: 'Dieses Modell wurde nicht gefunden.',
    rate_limited: 'Der Anbieter nimmt gerade keine weiteren Anfragen an: {reason}',
    refused: 'Der Anbieter hat die Anfrage abgelehnt: {reason}',
    route_needed: 'Geben Sie in config.route die Mitglieder der Route an.',
    setting_unknown: 'Entfernen Sie config.{setting}: Der Anbieter {provider} hat keine solche Einstellung.',
    takes_no_files:
      'Bildmodelle akzeptieren nur Bilder als Anhänge, Videomodelle gar keine. Wissensdatenbanken können beide nicht verwenden. Entfernen Sie, was das Modell nicht akzeptiert, oder wählen Sie ein Textmodell.',
  },
  mcp: {
    agent_full:
      'Ein Agent kann höchstens {limit, plural, one {# MCP-Verbindung} other {# MCP-Verbindungen}} verwenden. Entfernen Sie zuerst eine.',
    api_key_needed: 'Dieser Server verlangt Ihren eigenen API-Schlüssel. Geben Sie ihn ein.',
    attempt_gone:
      'Dieser Verbindungsversuch ist abgelaufen oder bereits abgeschlossen. Verbinden Sie Ihr Konto erneut.',
    attempt_of_another:
      'Diese Verbindung hat ein anderes Konto begonnen. Melden Sie sich mit diesem Konto an, um sie abzuschließen.',
    connect_failed: 'Das Konto konnte nicht verbunden werden: {reason}',
    instance_inactive: 'Diese Verbindung ist nicht aktiv. Verbinden Sie Ihr Konto erneut.',
    instance_not_found: 'Diese Verbindung wurde nicht gefunden.',
    model_prefix: 'Wählen Sie ein Modell von OpenAI, Anthropic, DeepSeek oder Google.',
    no_api_key: 'Dieser Server verwendet keinen API-Schlüssel.',
    no_attempt: 'Es wurde kein Verbindungsversuch gefunden. Verbinden Sie zuerst Ihr Konto.',
    no_auth_config:
      'Dieser Server ist nicht für Verbindungen eingerichtet. Bitten Sie einen Systemadministrator, ihn einzurichten.',
    no_valid_instances: 'Keine dieser Verbindungen kann verwendet werden. Wählen Sie eine andere.',
    resource_empty: 'Der Server hat für diese Ressource keinen Inhalt geliefert. Wählen Sie eine andere.',
    resource_refused: 'Der Server hat diese Ressource nicht geliefert: {reason}',
    secret_needed:
      'Geben Sie das Client-Secret erneut ein, wenn Sie die URL, die Client-ID, die Autorisierungs-URL oder die Token-URL ändern.',
    server_failed: 'Der MCP-Server hat die Anfrage nicht beantwortet: {reason}',
    server_in_use:
      'Dieser Server hat Verbindungen ({count, number}) und kann nicht gelöscht werden. Neue können Sie in seinen Einstellungen verhindern.',
    server_invalid: 'Prüfen Sie die Angaben zum Server: {reason}',
    server_not_found: 'Dieser MCP-Server wurde nicht gefunden.',
    server_taken: 'Es gibt bereits einen MCP-Server mit diesem Kurznamen. Wählen Sie einen anderen.',
    state_invalid: 'Dieser Verbindungsversuch ist ungültig oder beendet. Verbinden Sie Ihr Konto erneut.',
    timed_out: 'Der MCP-Server hat nicht rechtzeitig geantwortet. Vielleicht ist er nicht verfügbar.',
    too_many_instances:
      'Diese Organisation kann höchstens {limit, plural, one {# MCP-Verbindung} other {# MCP-Verbindungen}} haben. Löschen Sie zuerst eine.',
    too_many_servers:
      'Der Katalog kann höchstens {limit, plural, one {# Server} other {# Server}} haben. Löschen Sie zuerst einen.',
    unreachable:
      'Es konnte keine Verbindung zum MCP-Server hergestellt werden. Prüfen Sie die URL, und versuchen Sie es erneut.',
  },
  tool: {
    category_in_use: 'Diese Kategorie enthält Tools: {tools}. Verschieben oder löschen Sie sie zuerst.',
    category_not_found: 'Diese Kategorie wurde nicht gefunden.',
    category_taken: 'Es gibt bereits eine Kategorie mit diesem Namen. Wählen Sie einen anderen Namen.',
    changing: 'Eine andere Anfrage hat dieses Tool gleichzeitig geändert. Versuchen Sie es erneut.',
    code_invalid: 'Der Code kann nicht verwendet werden: {reason}',
    config_invalid: 'Prüfen Sie die Konfiguration des Tools: {reason}',
    function_twice:
      '{first} und {second} haben beide eine Funktion {name}. Entfernen Sie eines dieser Tools aus dem Agenten.',
    in_use: 'Dieses Tool wird verwendet ({users}). Entfernen Sie es dort zuerst.',
    invalid: 'Prüfen Sie das Tool: {reason}',
    not_found: 'Dieses Tool wurde nicht gefunden.',
    taken:
      'Es gibt bereits ein Tool mit diesem Namen und dieser Version. Wählen Sie einen anderen Namen oder eine andere Version.',
  },
} satisfies ErrorMessages
