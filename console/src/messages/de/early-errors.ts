import type { ErrorMessages } from '../error-messages.ts'

export default {
  access: {
    missing_permission: 'Ihnen fehlt die Berechtigung {permission}.',
    not_system_admin: 'Das kann nur die Systemadministration. Bitten Sie sie darum.',
    only_deployment:
      'Ein Deployment-Schlüssel gibt nur Zugriff auf den Chat seines Deployments. Verwenden Sie einen API-Schlüssel der Organisation.',
    organization_suspended:
      'Diese Organisation ist gesperrt. Sie können ihre Daten nur lesen und exportieren. Grund: {reason}',
    second_factor_required:
      'Diese Organisation verlangt Zwei-Faktor-Authentifizierung. Richten Sie sie in Ihrem Konto ein. Wenn sie bereits eingerichtet ist, melden Sie sich erneut damit an.',
    session_needed: 'Dafür müssen Sie angemeldet sein. Mit einem API-Schlüssel ist es nicht möglich.',
  },
  auth: {
    challenge_gone: 'Diese Anmeldung ist abgelaufen oder wurde bereits verwendet. Melden Sie sich erneut an.',
    cookie_origin:
      'Unter dieser Adresse können Sie nicht angemeldet bleiben. Öffnen Sie Parley unter der Adresse des Servers.',
    email_reserved: 'Diese E-Mail-Adresse ist reserviert. Verwenden Sie eine andere.',
    email_taken:
      'Es gibt bereits einen Benutzer mit dieser E-Mail-Adresse. Melden Sie sich an, oder verwenden Sie eine andere Adresse.',
    factor_challenge_gone:
      'Dieser Vorgang ist abgelaufen oder wurde bereits abgeschlossen. Beginnen Sie von vorn.',
    factor_not_found: 'Dieser Passkey oder diese Authenticator-App wurde nicht gefunden.',
    factor_unverified:
      'Bestätigen Sie Ihre E-Mail-Adresse, bevor Sie die Zwei-Faktor-Authentifizierung einrichten.',
    invalid_credentials: 'E-Mail-Adresse oder Passwort ist falsch.',
    invalid_refresh_token: 'Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an.',
    invalid_token: 'Ihre Sitzung ist abgelaufen. Melden Sie sich erneut an.',
    link_gone: 'Dieser Link ist abgelaufen oder wurde bereits verwendet. Fordern Sie einen neuen an.',
    link_of_another:
      'Dieser Link gehört zu einem anderen Konto. Melden Sie sich mit diesem Konto an, und öffnen Sie den Link erneut.',
    missing: 'Melden Sie sich an, um fortzufahren.',
    no_factor:
      'Wiederherstellungscodes setzen einen Passkey oder eine Authenticator-App voraus. Richten Sie zuerst eines davon ein.',
    oidc_failed: 'Der OpenID-Anbieter hat nicht richtig geantwortet. Versuchen Sie es später erneut.',
    oidc_off:
      'Die Anmeldung über einen OpenID-Anbieter ist auf diesem Server nicht eingerichtet. Melden Sie sich mit E-Mail-Adresse und Passwort an.',
    oidc_state:
      'Diese Anmeldung ist abgelaufen oder wurde in einem anderen Browser begonnen. Beginnen Sie von vorn.',
    oidc_unverified:
      'Der OpenID-Anbieter hat Ihre E-Mail-Adresse nicht bestätigt. Bestätigen Sie die Adresse dort, und melden Sie sich erneut an.',
    passkey_exists:
      'Dieser Passkey ist bereits registriert. Melden Sie sich damit an, oder registrieren Sie einen anderen.',
    passkey_invalid:
      'Der Passkey kann für {origin} nicht überprüft werden. Öffnen Sie Parley unter dieser Adresse, und versuchen Sie es erneut.',
    passkeys_max:
      'Ein Konto kann höchstens {max, plural, one {# Passkey} other {# Passkeys}} haben. Entfernen Sie zuerst einen.',
    session_not_found: 'Diese Sitzung wurde nicht gefunden.',
    signup_closed:
      'Auf diesem Server können Sie sich nur mit einer Einladung registrieren. Bitten Sie die Administration um eine Einladung.',
    second_factor_needed:
      'Zwei-Faktor-Authentifizierung ist erforderlich. Verwenden Sie einen Code Ihrer Authenticator-App, einen Passkey oder einen Wiederherstellungscode.',
    too_many_attempts:
      'Zu viele Anmeldeversuche. Versuchen Sie es in {seconds, plural, one {# Sekunde} other {# Sekunden}} erneut.',
    too_many_codes:
      'Für dieses Konto wurden zu viele Codes eingegeben. Versuchen Sie es in {minutes, plural, one {# Minute} other {# Minuten}} erneut.',
    totp_exists:
      'Dieses Konto hat bereits eine Authenticator-App. Entfernen Sie sie, bevor Sie eine andere hinzufügen.',
    totp_not_begun:
      'Keine Authenticator-App wartet auf Bestätigung. Die Einrichtung läuft nach 10 Minuten ab. Beginnen Sie von vorn.',
    totp_wrong_code:
      'Falscher Code. Prüfen Sie die Uhrzeit Ihres Geräts, und geben Sie den aktuellen Code ein.',
    wrong_code:
      'Falscher Code. Jeder Code gilt einmal und etwa 30 Sekunden lang. Geben Sie den aktuellen Code ein.',
    wrong_passkey: 'Der Passkey wurde nicht akzeptiert. Versuchen Sie es erneut.',
    wrong_proof: 'Das Passwort, der Code oder der Passkey ist falsch. Versuchen Sie es erneut.',
    wrong_recovery_code:
      'Falscher Wiederherstellungscode. Jeder Wiederherstellungscode gilt einmal. Geben Sie einen unbenutzten ein.',
  },
  invitation: {
    email: '{email} ist keine gültige E-Mail-Adresse. Geben Sie eine Adresse wie name@example.com ein.',
    exists:
      'Für diese E-Mail-Adresse gibt es bereits eine offene Einladung. Senden Sie sie erneut, oder widerrufen Sie sie.',
    gone: '{status, select, accepted {Diese Einladung wurde bereits angenommen.} expired {Diese Einladung ist abgelaufen.} revoked {Diese Einladung wurde widerrufen.} other {Diese Einladung gilt nicht mehr.}} Bitten Sie die Administration der Organisation um eine neue.',
    level: 'Nur Administratoren und Inhaber können Einladungen verwalten. Bitten Sie sie darum.',
    not_found: 'Diese Einladung wurde nicht gefunden.',
    not_pending:
      '{status, select, accepted {Diese Einladung wurde bereits angenommen.} expired {Diese Einladung ist abgelaufen.} revoked {Diese Einladung wurde widerrufen.} other {Diese Einladung ist nicht mehr offen.}} Senden Sie eine neue, wenn die Person noch Zugriff braucht.',
    organization_cap:
      'Eine Organisation kann höchstens {limit, plural, one {# Einladung} other {# Einladungen}} pro Tag senden. Versuchen Sie es nach Mitternacht (UTC) erneut.',
    role_gone:
      'Die Rolle dieser Einladung wurde gelöscht. Bitten Sie die Administration der Organisation um eine neue Einladung.',
    sender_cap:
      'Sie können höchstens {limit, plural, one {# Einladung} other {# Einladungen}} pro Tag senden. Versuchen Sie es nach Mitternacht (UTC) erneut.',
    sender_gone:
      'Die Person, die diese Einladung gesendet hat, darf das nicht mehr. Bitten Sie die Administration der Organisation um eine neue Einladung.',
    unverified_cap:
      'Bis Sie Ihre E-Mail-Adresse bestätigen, können Sie höchstens {limit, plural, one {# Einladung} other {# Einladungen}} pro Tag senden. Bestätigen Sie sie, oder versuchen Sie es nach Mitternacht (UTC) erneut.',
  },
  network: 'Der Server ist nicht erreichbar. Prüfen Sie die Verbindung, und versuchen Sie es erneut.',
  passkey: {
    exists: 'Dieses Gerät hat bereits einen Passkey für Ihr Konto.',
    not_used: 'Es wurde kein Passkey verwendet. Versuchen Sie es erneut.',
    wrong_address:
      'Passkeys funktionieren nur unter der Adresse, für die dieser Server eingerichtet ist (FRONTEND_URL).',
  },
  rate: {
    limited: 'Zu viele Anfragen. Versuchen Sie es in {wait} erneut.',
  },
  request: {
    abandoned: 'Die Anfrage wurde abgebrochen, bevor die Antwort vollständig war. Versuchen Sie es erneut.',
    answer_not_kept: 'Dies wurde bereits ausgeführt. Laden Sie die Seite neu, um das Ergebnis zu sehen.',
    file_too_large: 'Die Datei ist größer als {size}. Senden Sie eine kleinere.',
    idempotency_reused: 'Dies wurde bereits mit anderem Inhalt gesendet. Versuchen Sie es erneut.',
    in_progress: 'Dies wurde bereits gesendet und wird noch ausgeführt. Versuchen Sie es gleich erneut.',
    interrupted:
      'Der Server wurde bei der Ausführung unterbrochen. Prüfen Sie das Ergebnis, bevor Sie es erneut versuchen.',
    invalid: 'Prüfen Sie Ihre Eingabe: {reason}',
    malformed: 'Die Anfrage konnte nicht gelesen werden: {reason}',
    not_found: 'Dieser Server hat diese Funktion nicht. Laden Sie die Seite neu.',
    timed_out: 'Die Übertragung der Anfrage hat zu lange gedauert. Versuchen Sie es erneut.',
    too_large: 'Der Inhalt ist größer als {size}. Kürzen Sie ihn.',
    too_many_keys: 'Sie haben zu viele Anfragen gesendet. Versuchen Sie es später erneut.',
    too_many_values:
      'Die Eingabe hat mehr als {limit, plural, one {# Wert} other {# Werte}}. Kürzen Sie sie.',
  },
  server: {
    error:
      'Der Server konnte diese Anfrage nicht abschließen. Versuchen Sie es erneut. Wenn sie wieder fehlschlägt, findet der Betreiber die Ursache anhand der Anfrage-ID im Serverprotokoll.',
    no_database: 'Die Datenbank antwortet nicht. Versuchen Sie es in einigen Sekunden erneut.',
    unavailable: 'Das ist zurzeit nicht möglich: {reason}',
  },
  stream: {
    lost: 'Die Verbindung wurde unterbrochen. Laden Sie die Seite neu.',
  },
  unknown:
    'Auf dem Server ist ein Fehler aufgetreten. Versuchen Sie es erneut. Wenn der Fehler wieder auftritt, wenden Sie sich an Ihre Administration.',
} satisfies ErrorMessages
