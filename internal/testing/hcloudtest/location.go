package hcloudtest

import (
	"net/http"
	"strconv"
)

// Location is a place for volumes.
type Location struct {
	ID          int64   `json:"id"`
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Country     string  `json:"country"`
	City        string  `json:"city"`
	Latitude    float64 `json:"latitude"`
	Longitude   float64 `json:"longitude"`
	NetworkZone string  `json:"network_zone"`
}

var locations = []Location{
	{
		ID: 1, Name: "fsn1", Description: "Falkenstein DC Park 1", Country: "DE", City: "Falkenstein",
		Latitude: 50.47612, Longitude: 12.370071, NetworkZone: "eu-central",
	},
	{
		ID: 2, Name: "nbg1", Description: "Nuremberg DC Park 1", Country: "DE", City: "Nuremberg",
		Latitude: 49.452102, Longitude: 11.076665, NetworkZone: "eu-central",
	},
	{
		ID: 3, Name: "hel1", Description: "Helsinki DC Park 1", Country: "FI", City: "Helsinki", Latitude: 60.169855,
		Longitude: 24.938379, NetworkZone: "eu-central",
	},
}

// locationOf finds a location by name or id, as requests may give either.
func locationOf(nameOrID string) (Location, bool) {
	for _, l := range locations {
		if l.Name == nameOrID || strconv.FormatInt(l.ID, 10) == nameOrID {
			return l, true
		}
	}
	return Location{}, false
}

func (s *Server) listLocations(r *http.Request) (int, any) {
	name := r.URL.Query().Get("name")
	var found []Location
	for _, l := range locations {
		if name == "" || name == l.Name {
			found = append(found, l)
		}
	}
	return listAnswer("locations", found)
}

func (s *Server) getLocation(r *http.Request) (int, any) {
	for _, l := range locations {
		if strconv.FormatInt(l.ID, 10) == r.PathValue("id") {
			return http.StatusOK, map[string]any{"location": l}
		}
	}
	return notFound("location")
}
