-- Adds the contents of a new source.
CREATE OR REPLACE FUNCTION public.add_kb_source_contents()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  insert into kb_contents (id, organization_id, kb_id) values (new.id, new.organization_id, new.kb_id);
  return null;
end $function$;

CREATE TRIGGER kb_sources_contents_added AFTER INSERT ON kb_sources FOR EACH ROW EXECUTE FUNCTION add_kb_source_contents();
