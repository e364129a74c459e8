-- Subtracts the stored bytes of deleted rows from those of their organizations, which it locks in the order of their ids.
CREATE OR REPLACE FUNCTION public.release_bytes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform from organizations where id in (select organization_id from gone where stored_bytes > 0) order by id
  for no key update;
  update organizations set stored_bytes = organizations.stored_bytes - sums.bytes
  from (select organization_id, sum(stored_bytes) as bytes from gone where stored_bytes > 0 group by 1) as sums
  where organizations.id = sums.organization_id;
  return null;
end $function$;

CREATE TRIGGER kb_documents_released AFTER DELETE ON kb_documents REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION release_bytes();

CREATE TRIGGER response_conversations_released AFTER DELETE ON response_conversations REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION release_bytes();

CREATE TRIGGER responses_released AFTER DELETE ON responses REFERENCING OLD TABLE AS gone FOR EACH STATEMENT EXECUTE FUNCTION release_bytes();
